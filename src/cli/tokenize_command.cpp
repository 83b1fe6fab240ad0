// `deepinfer tokenize`: text to ids, ids to text, a conversation to its prompt's ids.

#include <fmt/format.h>

#include "cli/bundled_model.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/json_output.h"
#include "cli/text_file.h"
#include "cli/token_list.h"
#include "deepinfer/chat.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

struct TokenizeArguments {
  CommandLine* line = nullptr;
  std::optional<std::string> text;
  std::optional<std::string> file;
  std::optional<std::string> chat;
  bool decode = false;
  bool pieces = false;
  bool plain = false;
};

void check_combination(const TokenizeArguments& arguments) {
  const int sources = int{arguments.text.has_value()} + int{arguments.file.has_value()} +
                      int{arguments.chat.has_value()};
  if (sources > 1)
    throw Error::bad_input("tokenize", "more than one source",
                           {.expected = "one of a text, -f FILE and --chat FILE",
                            .got = std::to_string(sources),
                            .hint = {}});
  const auto refuse = [](const char* flag, const char* with) {
    throw Error::bad_input(flag, "has no effect together with " + std::string(with));
  };
  if (arguments.decode && arguments.chat.has_value()) refuse("--decode", "--chat");
  if (arguments.decode && arguments.plain) refuse("--plain", "--decode");
  if (arguments.chat.has_value() && arguments.plain) refuse("--plain", "--chat");
}

/// Where ids to decode are from, for errors about them.
std::string ids_source(const TokenizeArguments& arguments) {
  if (arguments.text.has_value() && *arguments.text != "-") return "--decode";
  return source_name(arguments.file.value_or("-"));
}

/// The text, or what the file or stdin holds.
std::string read_source(const TokenizeArguments& arguments) {
  if (arguments.text.has_value() && *arguments.text != "-") return *arguments.text;
  if (arguments.file.has_value()) return read_text(*arguments.file, "--file");
  return read_text("-", "stdin");
}

std::vector<std::int32_t> chat_ids(const std::string& path, const Tokenizer& tokenizer) {
  const Conversation conversation =
      parse_conversation(read_text(path, "--chat"), source_name(path));
  return to_ids(encode_chat(conversation, chat_options(conversation)), tokenizer,
                TokenPolicy::strict);
}

/// One object per line.
std::string pieces_text(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  std::string text = "[";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Json piece = {{"id", ids[i]},
                        {"piece", std::string(tokenizer.piece(ids[i]).value_or(""))},
                        {"text", std::string(tokenizer.bytes(ids[i]))},
                        {"added", tokenizer.is_added(ids[i])}};
    text +=
        (i == 0 ? "\n  " : ",\n  ") + piece.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + (ids.empty() ? "]\n" : "\n]\n");
}

int tokenize(const TokenizeArguments& arguments) {
  check_combination(arguments);
  const std::string directory = model_directory(arguments.line->resolve().options);
  const auto tokenizer = Tokenizer::open(directory);
  std::vector<std::int32_t> ids;
  if (arguments.chat.has_value()) {
    ids = chat_ids(*arguments.chat, *tokenizer);
  } else if (arguments.decode) {
    const std::string where = ids_source(arguments);
    ids = parse_token_list(read_source(arguments), where);
    check_token_ids(ids, tokenizer->vocab_size(), where);
  } else {
    ids = tokenizer->encode(read_source(arguments), !arguments.plain);
  }
  if (arguments.pieces)
    write_out(pieces_text(ids, *tokenizer));
  else if (arguments.decode)
    write_out(tokenizer->decode(ids) + (stdout_is_terminal() ? "\n" : ""));
  else
    write_out(to_json_list(ids) + "\n");
  return 0;
}

}  // namespace

void add_tokenize_command(Program& program) {
  auto arguments = std::make_shared<TokenizeArguments>();
  CommandLine& line = program.command("tokenize", "turns text into token ids and back");
  arguments->line = &line;
  line.positional("text", "the text, or with --decode the ids; - or nothing: stdin",
                  arguments->text);
  line.value("-f,--file", "FILE", "reads it from a file; - is stdin", arguments->file);
  line.flag("--decode", "ids (1,2,3 or a JSON list) to text", arguments->decode);
  line.value("--chat", "FILE",
             "ids of a conversation's prompt: JSON with messages and tools; - is stdin",
             arguments->chat);
  line.flag("--pieces", "one JSON object per token: id, piece, text, added", arguments->pieces);
  line.flag("--plain", "spellings of added tokens are ordinary text", arguments->plain);
  line.option("--model");
  line.footer(
      "Prints the ids as a JSON list. Nothing is added to a text: no beginning-of-sequence token.");
  line.action([arguments] { return tokenize(*arguments); });
}

}  // namespace deepinfer::cli
