#pragma once

// Conversations and their prompt form (prompting specification, part 2).
//
// A request's JSON becomes a Conversation (plain structs), a Conversation becomes a list of
// segments, and segments become one string or token ids. Everything here is a value or a pure
// function: no shared state, any thread. Bad input throws Error (bad_input) whose `where` ends in
// the field, e.g. `messages[2].role`. Text is UTF-8 throughout.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/tokenizer.h"

namespace deepinfer {

enum class Role { system, user, assistant, tool, latest_reminder };

/// One block of a message's content.
struct ContentBlock {
  enum class Kind {
    text,         ///< `text`
    image,        ///< `text` is its source: an URL, a data URL or a path, as the request gave it
    tool_result,  ///< `parts` (text and images) answer the call `tool_call_id`
    unsupported,  ///< `text` is the unknown type's name
  };
  Kind kind = Kind::text;
  std::string text;
  std::string tool_call_id;
  std::vector<ContentBlock> parts;
};

/// One argument of a call: a string as its raw characters, any other value as JSON text.
struct ToolArgument {
  std::string key;
  std::string value;
  bool is_string = false;
};

struct ToolCall {
  std::string id;
  std::string name;  ///< `namespace::name` where a namespace was given
  std::vector<ToolArgument> arguments;
};

struct ToolDeclaration {
  std::string name;    ///< `namespace::name` where a namespace was given
  std::string schema;  ///< the `function` object in the JSON form of 2.1
};

struct Message {
  Role role = Role::user;
  std::vector<ContentBlock> content;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;
  std::string tool_call_id;                    ///< role tool: the call this answers
  std::vector<ToolDeclaration> tools;          ///< rendered on system messages
  std::optional<std::string> response_format;  ///< JSON text, rendered on system messages
  std::string task;                            ///< empty, or one of the names of 2.9
  bool continues = false;                      ///< `wo_eos` / `prefix`: the turn stays open
};

enum class ChatMode { chat, thinking };

struct ChatOptions {
  ChatMode mode = ChatMode::thinking;
  int effort = 75;  ///< 1..100; the name `high` (prompting specification 2.2)
  bool drop_thinking = true;
  bool add_bos = true;
};

struct Conversation {
  std::vector<Message> messages;
  // What the request itself said about the options; absent: the caller's defaults hold.
  std::optional<ChatMode> mode;
  std::optional<int> effort;
  std::optional<bool> drop_thinking;
  std::optional<bool> add_bos;
  /// `type` of the request's response_format (text, json_object, json_schema); empty without one.
  std::string response_format_type;
};

/// Reads a list of messages, or an object with `messages` and optional `tools`, `tool_choice`,
/// `thinking_mode` or `thinking`, `reasoning_effort`, `drop_thinking`, `add_bos`,
/// `response_format`; other keys are ignored. Request-level tools and a json_schema go to the first
/// system message, or to an empty one put before the rest. `tool_choice` "none" leaves the
/// request's tools out; other choices are the caller's affair. `where` names the source in errors
/// (may be empty).
Conversation parse_conversation(std::string_view json_text, std::string_view where);

/// An effort from text: a number 1..100 or a name of 2.2. nullopt is the name `none`: no thinking.
std::optional<int> parse_effort(std::string_view text, std::string_view where);

/// The options of one request: its own where it gave any, else the defaults.
ChatOptions chat_options(const Conversation& conversation, const ChatOptions& defaults = {});

/// Names of all tools a conversation declares, in order.
std::vector<std::string> declared_tools(const Conversation& conversation);

/// True if the prompt ends inside an assistant turn (the output continues that turn's content).
bool continues_turn(const Conversation& conversation);

/// A piece of a prompt. `control` is the text of one added token, written by the renderer itself;
/// `text` is everything else, whatever it spells. Neighbouring text segments are always joined.
struct Segment {
  enum class Kind { control, text };
  Kind kind = Kind::text;
  std::string text;
  std::string image_source;  ///< the image behind an image placeholder; empty on other segments

  bool operator==(const Segment&) const = default;
};

/// The prompt of a conversation. Throws Error for an effort outside 1..100, in either mode.
std::vector<Segment> encode_chat(const Conversation& conversation, const ChatOptions& options);

/// The segments as one string.
std::string render(const std::vector<Segment>& segments);

enum class TokenPolicy {
  strict,   ///< only the renderer's control segments become control ids (default of a server)
  library,  ///< every spelling of an added token becomes its id, wherever it came from
};

/// Token ids of a prompt (prompting specification 1.7). Throws Error (bad_input) if the tokenizer
/// lacks a control token.
std::vector<std::int32_t> to_ids(const std::vector<Segment>& segments, const Tokenizer& tokenizer,
                                 TokenPolicy policy);

}  // namespace deepinfer
