#include "cli/chat_session.h"

#include <fmt/format.h>

#include "cli/answer_printer.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/prompt.h"

namespace deepinfer::cli {
namespace {

Message text_message(Role role, std::string text) {
  Message message;
  message.role = role;
  message.content.push_back(
      {.kind = ContentBlock::Kind::text, .text = std::move(text), .tool_call_id = {}, .parts = {}});
  return message;
}

}  // namespace

ChatSession::ChatSession(Engine& engine, bool max_tokens_said)
    : engine_(engine), max_tokens_said_(max_tokens_said) {}

void ChatSession::reset() {
  conversation_ = {};
  last_.reset();
}

void ChatSession::set_thinking(bool on) {
  options_.mode = on ? ChatMode::thinking : ChatMode::chat;
}

void ChatSession::answer(const std::string& text) {
  conversation_.messages.push_back(text_message(Role::user, text));
  RequestId id = 0;
  std::size_t prompt_tokens = 0;
  try {
    std::vector<std::int32_t> ids =
        to_ids(encode_chat(conversation_, options_), *engine_.tokenizer(), TokenPolicy::strict);
    prompt_tokens = ids.size();
    const int room = answer_room(prompt_tokens, engine_.max_context(), engine_.options().max_tokens,
                                 max_tokens_said_);
    id = engine_.submit(make_request(engine_.options(), std::move(ids), room));
  } catch (...) {
    conversation_.messages.pop_back();
    throw;
  }

  AnswerPrinter printer(thinking());
  last_ = generate(engine_, id, prompt_tokens, [&](std::string_view part) { printer.push(part); });
  printer.finish();
  clear_interrupt();
  if (last_->reason == FinishReason::length)
    say("(cut off: --max-tokens or the context is used up)");
  if (last_->reason == FinishReason::cancelled) say("(stopped)");

  Message reply = text_message(Role::assistant, printer.content());
  reply.reasoning = printer.reasoning();
  conversation_.messages.push_back(std::move(reply));
}

std::string ChatSession::stats() const {
  if (!last_.has_value()) return "no answer yet";
  return fmt::format(
      "{} prompt tokens in {:.0f} ms ({:.1f}/s), {} tokens in {:.0f} ms ({:.1f}/s), {}; longest "
      "conversation {} tokens",
      last_->prompt_tokens, last_->prefill_ms, last_->prefill_tokens_per_s(), last_->tokens.size(),
      last_->decode_ms, last_->decode_tokens_per_s(), name_of(last_->reason),
      engine_.max_context());
}

}  // namespace deepinfer::cli
