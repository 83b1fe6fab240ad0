#include "cli/prompt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/text_file.h"
#include "cli/token_list.h"
#include "core/option_values.h"
#include "deepinfer/chat.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

constexpr const char* kSources = "one of -p TEXT, -f FILE, - (stdin) and --tokens IDS";

std::vector<std::int32_t> chat_ids(const Tokenizer& tokenizer, const std::string& text,
                                   bool add_bos) {
  Message message;
  message.role = Role::user;
  message.content.push_back(
      {.kind = ContentBlock::Kind::text, .text = text, .tool_call_id = {}, .parts = {}});
  Conversation conversation;
  conversation.messages.push_back(std::move(message));
  ChatOptions options;
  options.add_bos = add_bos;
  return to_ids(encode_chat(conversation, options), tokenizer, TokenPolicy::strict);
}

}  // namespace

void add_prompt_arguments(CommandLine& line, PromptArguments& arguments) {
  line.value("-p,--prompt", "TEXT", "the prompt", arguments.text);
  line.value("-f,--file", "FILE", "reads the prompt from a file; - is stdin", arguments.file);
  line.value("--tokens", "IDS", "the prompt as token ids, e.g. 0,17,4; nothing is added to it",
             arguments.tokens);
  line.flag("--chat", "the prompt is a user's message: applies the chat encoding, thinking on",
            arguments.chat);
  line.flag("--no-bos", "puts no beginning-of-sequence token in front", arguments.no_bos);
  line.positional("input", "- reads the prompt from stdin", arguments.dash);
}

Prompt read_prompt(const PromptArguments& arguments) {
  if (arguments.dash.has_value() && *arguments.dash != "-")
    throw Error::bad_input("input", "unexpected argument",
                           {.expected = "- (stdin)",
                            .got = quoted_text(*arguments.dash),
                            .hint = "a prompt is given with -p"});
  const int sources = int{arguments.text.has_value()} + int{arguments.file.has_value()} +
                      int{arguments.dash.has_value()} + int{arguments.tokens.has_value()};
  if (sources > 1)
    throw Error::bad_input(
        "prompt", "more than one source",
        {.expected = kSources, .got = fmt::format("{} of them", sources), .hint = {}});
  if (arguments.tokens.has_value()) {
    for (const bool given : {arguments.chat, arguments.no_bos})
      if (given)
        throw Error::bad_input("--tokens", "are run as they are, with no encoding to choose",
                               {.expected = "--tokens alone",
                                .got = arguments.chat ? "--chat" : "--no-bos",
                                .hint = {}});
    return {.text = {}, .ids = parse_token_list(*arguments.tokens, "--tokens")};
  }
  if (arguments.text.has_value()) return {.text = *arguments.text, .ids = std::nullopt};
  if (arguments.file.has_value())
    return {.text = read_text(*arguments.file, "--file"), .ids = std::nullopt};
  if (!arguments.dash.has_value() && isatty(STDIN_FILENO) == 1)
    throw Error::bad_input("prompt", "is missing",
                           {.expected = kSources, .got = "none", .hint = {}});
  return {.text = read_text("-", "stdin"), .ids = std::nullopt};
}

std::vector<std::int32_t> plain_ids(const Tokenizer& tokenizer, const std::string& text, int bos) {
  std::vector<std::int32_t> ids = tokenizer.encode(text, true);
  if (ids.empty() || ids.front() != bos) ids.insert(ids.begin(), bos);
  return ids;
}

std::vector<std::int32_t> prompt_ids(const Prompt& prompt, const PromptArguments& arguments,
                                     const Engine& engine) {
  const ModelConfig& config = engine.checkpoint().config();
  if (prompt.ids.has_value()) {
    check_token_ids(*prompt.ids, config.vocab_size, "--tokens");
    return *prompt.ids;
  }
  const Tokenizer& tokenizer = *engine.tokenizer();
  if (arguments.chat) return chat_ids(tokenizer, prompt.text, !arguments.no_bos);
  if (arguments.no_bos) return tokenizer.encode(prompt.text, true);
  return plain_ids(tokenizer, prompt.text, config.bos_token_id);
}

int answer_room(std::size_t prompt_tokens, std::int64_t max_context, int wanted, bool said,
                std::string_view where) {
  const std::int64_t left = max_context - static_cast<std::int64_t>(prompt_tokens);
  if (left < 1)
    throw Error::bad_input(where, "is longer than the context",
                           {.expected = fmt::format("at most {} tokens", max_context - 1),
                            .got = std::to_string(prompt_tokens),
                            .hint = "shorten it or raise --max-context"});
  return said ? wanted : static_cast<int>(std::min<std::int64_t>(wanted, left));
}

}  // namespace deepinfer::cli
