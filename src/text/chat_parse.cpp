// Request JSON to a Conversation (prompting specification 2.4, 2.9, 2.11, 4.2).

#include <algorithm>
#include <array>

#include "text/chat_content.h"

namespace deepinfer {
namespace {

using Kind = JsonValue::Kind;

constexpr std::array<std::string_view, 6> kTasks = {"action", "query", "authority",
                                                    "domain", "title", "read_url"};

Role parse_role(const Field& field) {
  const std::string& name = field.as_string();
  // The release encoder has no developer role; the API's is a system message by another name.
  if (name == "system" || name == "developer") return Role::system;
  if (name == "user") return Role::user;
  if (name == "assistant") return Role::assistant;
  if (name == "tool") return Role::tool;
  if (name == "latest_reminder") return Role::latest_reminder;
  field.fail("unknown role", "system, developer, user, assistant, tool or latest_reminder",
             quote_for_error(name));
}

Message parse_message(const Field& field) {
  field.expect(Kind::object);
  Message out;
  out.role = parse_role(field.require("role"));
  out.content = parse_content(field.get("content"), out.role);
  std::optional<Field> reasoning = field.get("reasoning_content");
  if (!reasoning) reasoning = field.get("reasoning");
  if (reasoning) out.reasoning = parse_text(*reasoning);
  if (const auto calls = field.get("tool_calls")) out.tool_calls = parse_tool_calls(*calls);
  if (const auto id = field.get("tool_call_id")) out.tool_call_id = id->as_string();
  if (const auto tools = field.get("tools")) out.tools = parse_tools(*tools);
  if (const auto format = field.get("response_format")) {
    out.response_format = to_json(format->value());
  }
  if (const auto task = field.get("task")) {
    out.task = task->as_string();
    if (std::find(kTasks.begin(), kTasks.end(), out.task) == kTasks.end()) {
      task->fail("unknown task", "action, query, authority, domain, title or read_url",
                 quote_for_error(out.task));
    }
  }
  for (const std::string_view key : {"wo_eos", "prefix"}) {
    if (const auto open = field.get(key)) out.continues = out.continues || open->as_boolean();
  }
  return out;
}

std::vector<Message> parse_messages(const Field& list) {
  list.expect(Kind::array);
  if (list.size() == 0) list.fail("no messages", "at least one message", "an empty array");
  std::vector<Message> out;
  for (std::size_t i = 0; i < list.size(); ++i) out.push_back(parse_message(list.at(i)));
  return out;
}

ChatMode parse_mode_name(const Field& field) {
  if (field.as_string() == "chat") return ChatMode::chat;
  if (field.as_string() == "thinking") return ChatMode::thinking;
  field.fail("unknown mode", "chat or thinking", quote_for_error(field.as_string()));
}

// `thinking`: a boolean, or DeepSeek's and Anthropic's object with a type.
ChatMode parse_thinking(const Field& field) {
  if (field.is(Kind::boolean)) return field.as_boolean() ? ChatMode::thinking : ChatMode::chat;
  if (!field.is(Kind::object)) field.fail("wrong type", "a boolean or an object with `type`");
  const Field type = field.require("type");
  const std::string& name = type.as_string();
  if (name == "enabled" || name == "adaptive") return ChatMode::thinking;
  if (name == "disabled") return ChatMode::chat;
  type.fail("unknown thinking type", "enabled, adaptive or disabled", quote_for_error(name));
}

void parse_options(const Field& root, Conversation& out) {
  if (const auto mode = root.get("thinking_mode")) out.mode = parse_mode_name(*mode);
  if (const auto thinking = root.get("thinking")) {
    const ChatMode mode = parse_thinking(*thinking);
    if (!out.mode) out.mode = mode;
  }
  if (const auto effort = root.get("reasoning_effort")) {
    out.effort = parse_effort_field(*effort);
    if (!out.effort) out.mode = ChatMode::chat;  // effort `none`
  }
  if (const auto drop = root.get("drop_thinking")) out.drop_thinking = drop->as_boolean();
  if (const auto bos = root.get("add_bos")) out.add_bos = bos->as_boolean();
}

// The message that request-level tools and formats attach to.
Message& first_system(std::vector<Message>& messages) {
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [](const Message& m) { return m.role == Role::system; });
  if (found != messages.end()) return *found;
  Message empty;
  empty.role = Role::system;
  return *messages.insert(messages.begin(), std::move(empty));
}

void attach_tools(const Field& root, Conversation& out) {
  const auto tools = root.get("tools");
  if (!tools) return;
  std::vector<ToolDeclaration> parsed = parse_tools(*tools);
  const auto choice = root.get("tool_choice");
  const bool none = choice && choice->is(Kind::string) && choice->as_string() == "none";
  if (parsed.empty() || none) return;
  Message& system = first_system(out.messages);
  system.tools.insert(system.tools.end(), parsed.begin(), parsed.end());
}

void attach_format(const Field& root, Conversation& out) {
  const auto format = root.get("response_format");
  if (!format) return;
  format->expect(Kind::object);
  const Field type = format->require("type");
  out.response_format_type = type.as_string();
  if (out.response_format_type == "text" || out.response_format_type == "json_object") return;
  if (out.response_format_type != "json_schema") {
    type.fail("unknown response format", "text, json_object or json_schema",
              quote_for_error(out.response_format_type));
  }
  const Field wrapper = format->require("json_schema");
  wrapper.expect(Kind::object);
  const Field schema = wrapper.require("schema");
  schema.expect(Kind::object);
  first_system(out.messages).response_format = to_json(schema.value());
}

}  // namespace

Conversation parse_conversation(std::string_view json_text, std::string_view where) {
  const JsonValue document = parse_json(json_text, where.empty() ? "conversation" : where);
  Conversation out;
  if (document.is(Kind::array)) {
    out.messages = parse_messages(Field(document, where, "messages"));
    return out;
  }
  const Field root(document, where, "");
  if (!root.is(Kind::object)) {
    Field(document, where, "messages").fail("no conversation", "an array or an object");
  }
  out.messages = parse_messages(root.require("messages"));
  parse_options(root, out);
  attach_tools(root, out);
  attach_format(root, out);
  return out;
}

}  // namespace deepinfer
