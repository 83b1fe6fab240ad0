#include "text/chat_content.h"

#include "text/chat_segments.h"

namespace deepinfer {
namespace {

using Kind = JsonValue::Kind;

void reject_placeholder(const Field& field, std::string_view text) {
  if (text.find(control::kImage) == std::string_view::npos) return;
  field.fail("image placeholder inside text", "text without " + std::string(control::kImage),
             "that text", "send images as image_url blocks");
}

// Where an image comes from: an URL, a data URL, or a path. Accepts the shapes of 2.10 and the
// `source` object of Anthropic's API.
std::string image_source(const Field& block) {
  for (const std::string_view key : {"image_url", "source", "url", "data"}) {
    const std::optional<Field> field = block.get(key);
    if (!field) continue;
    if (field->is(Kind::string) && !field->as_string().empty()) return field->as_string();
    if (!field->is(Kind::object)) field->fail("no image source", "a non-empty string or an object");
    if (const std::optional<Field> url = field->get("url")) return url->as_string();
    const std::string& data = field->require("data").as_string();
    const std::optional<Field> media = field->get("media_type");
    return media ? "data:" + media->as_string() + ";base64," + data : data;
  }
  block.fail("image block without a source", "image_url, source, url or data", "none of them");
}

ContentBlock parse_leaf(const Field& block, const std::string& type) {
  if (type == "text") return {ContentBlock::Kind::text, parse_text(block.require("text")), "", {}};
  if (type == "image" || type == "image_url") {
    return {ContentBlock::Kind::image, image_source(block), "", {}};
  }
  reject_placeholder(block, type);
  return {ContentBlock::Kind::unsupported, type, "", {}};
}

ContentBlock parse_tool_result(const Field& block) {
  ContentBlock out{ContentBlock::Kind::tool_result, "", "", {}};
  for (const std::string_view key : {"tool_use_id", "tool_call_id", "id"}) {
    if (const std::optional<Field> id = block.get(key)) {
      out.tool_call_id = id->as_string();
      break;
    }
  }
  const std::optional<Field> content = block.get("content");
  if (content && content->is(Kind::array)) {
    for (std::size_t i = 0; i < content->size(); ++i) {
      const Field part = content->at(i);
      part.expect(Kind::object);
      out.parts.push_back(parse_leaf(part, part.require("type").as_string()));
    }
  } else if (content) {
    out.parts.push_back({ContentBlock::Kind::text, parse_text(*content), "", {}});
  }
  return out;
}

std::string qualified_name(const Field& entry, const Field& function) {
  const std::string& name = function.require("name").as_string();
  if (name.empty()) function.require("name").fail("empty", "a name", "\"\"");
  reject_placeholder(function, name);
  std::optional<Field> space = entry.get("namespace");
  if (!space) space = function.get("namespace");
  return space ? space->as_string() + "::" + name : name;
}

std::vector<ToolArgument> parse_arguments(const std::optional<Field>& field) {
  if (!field) return {};
  std::optional<JsonValue> parsed;
  if (field->is(Kind::string)) {
    reject_placeholder(*field, field->as_string());
    parsed = try_parse_json(field->as_string());
    // Some clients encode twice.
    if (parsed && parsed->is(Kind::string)) parsed = try_parse_json(parsed->text);
  } else if (field->is(Kind::object)) {
    parsed = field->value();
  } else {
    field->fail("wrong type", "a string of JSON, or an object");
  }
  if (!parsed || !parsed->is(Kind::object)) return {{"arguments", field->as_string(), true}};

  std::vector<ToolArgument> out;
  for (std::size_t i = 0; i < parsed->items.size(); ++i) {
    const JsonValue& item = parsed->items[i];
    const bool is_string = item.is(Kind::string);
    out.push_back({parsed->keys[i], is_string ? item.text : to_json(item), is_string});
    // Escapes of the JSON text may have hidden it above.
    reject_placeholder(*field, out.back().key);
    reject_placeholder(*field, out.back().value);
  }
  return out;
}

}  // namespace

std::string parse_text(const Field& field) {
  reject_placeholder(field, field.as_string());
  return field.as_string();
}

std::vector<ContentBlock> parse_content(const std::optional<Field>& field, Role role) {
  if (!field) return {ContentBlock{}};
  if (field->is(Kind::string)) {
    return {ContentBlock{ContentBlock::Kind::text, parse_text(*field), "", {}}};
  }
  if (!field->is(Kind::array)) field->fail("wrong type", "a string, an array of blocks, or null");
  std::vector<ContentBlock> out;
  for (std::size_t i = 0; i < field->size(); ++i) {
    const Field block = field->at(i);
    block.expect(Kind::object);
    const std::string& type = block.require("type").as_string();
    if (role == Role::user && type == "tool_result") {
      out.push_back(parse_tool_result(block));
      continue;
    }
    ContentBlock leaf = parse_leaf(block, type);
    if (role == Role::user || leaf.kind != ContentBlock::Kind::unsupported) {
      out.push_back(std::move(leaf));
    }
  }
  return out;
}

std::vector<ToolDeclaration> parse_tools(const Field& field) {
  field.expect(Kind::array);
  std::vector<ToolDeclaration> out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const Field entry = field.at(i);
    entry.expect(Kind::object);
    if (const auto type = entry.get("type"); type && type->as_string() != "function") {
      type->fail("unknown tool type", "function", quote_for_error(type->as_string()));
    }
    const Field function = entry.require("function");
    function.expect(Kind::object);
    const std::string name = qualified_name(entry, function);
    JsonValue schema{JsonValue::Kind::object, false, "", {}, {}};
    for (std::size_t k = 0; k < function.size(); ++k) {
      const std::string& key = function.value().keys[k];
      if (key == "namespace") continue;  // part of the name now
      schema.keys.push_back(key);
      schema.items.push_back(function.value().items[k]);
      if (key == "name") schema.items.back().text = name;
    }
    out.push_back({name, to_json(schema)});
    reject_placeholder(function, out.back().schema);
  }
  return out;
}

std::vector<ToolCall> parse_tool_calls(const Field& field) {
  field.expect(Kind::array);
  std::vector<ToolCall> out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const Field entry = field.at(i);
    entry.expect(Kind::object);
    const Field function = entry.require("function");
    function.expect(Kind::object);
    ToolCall call;
    if (const auto id = entry.get("id")) call.id = id->as_string();
    call.name = qualified_name(entry, function);
    call.arguments = parse_arguments(function.get("arguments"));
    out.push_back(std::move(call));
  }
  return out;
}

}  // namespace deepinfer
