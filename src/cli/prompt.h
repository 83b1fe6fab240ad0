#pragma once

// Where a prompt comes from, and how it becomes token ids.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "deepinfer/engine.h"

namespace deepinfer::cli {

/// The prompt flags of `run`.
struct PromptArguments {
  std::optional<std::string> text;    ///< -p
  std::optional<std::string> file;    ///< -f
  std::optional<std::string> dash;    ///< the argument `-`
  std::optional<std::string> tokens;  ///< --tokens
  bool chat = false;
  bool no_bos = false;
};

void add_prompt_arguments(CommandLine& line, PromptArguments& arguments);

/// A prompt as given: text, or ids that are taken as they are.
struct Prompt {
  std::string text;
  std::optional<std::vector<std::int32_t>> ids;
};

/// Reads the one source that was given; stdin if none was and it is no terminal. Throws Error
/// (bad_input) for none, for more than one, and for one that cannot be read.
Prompt read_prompt(const PromptArguments& arguments);

/// Ids of a plain text: spellings of added tokens are those tokens, and `bos` comes first unless
/// the text spells it itself.
std::vector<std::int32_t> plain_ids(const Tokenizer& tokenizer, const std::string& text, int bos);

/// Ids of the prompt for an engine's model, checked against its vocabulary.
std::vector<std::int32_t> prompt_ids(const Prompt& prompt, const PromptArguments& arguments,
                                     const Engine& engine);

/// How many tokens may follow `prompt_tokens`: `wanted`, or, if the user did not say it, what the
/// context leaves if that is less. Throws Error (bad_input) at `where` with both numbers if nothing
/// is left.
int answer_room(std::size_t prompt_tokens, std::int64_t max_context, int wanted, bool said,
                std::string_view where = "prompt");

}  // namespace deepinfer::cli
