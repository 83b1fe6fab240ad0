#include "text/chat_fields.h"

#include "deepinfer/error.h"

namespace deepinfer {

std::optional<Field> Field::get(std::string_view key) const {
  const JsonValue* member = value_->find(key);
  if (member == nullptr || member->is(JsonValue::Kind::null)) return std::nullopt;
  return Field(*member, source_, path_.empty() ? std::string(key) : path_ + "." + std::string(key));
}

Field Field::require(std::string_view key) const {
  if (std::optional<Field> member = get(key)) return *member;
  static const JsonValue kNull;
  const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  const bool present = value_->find(key) != nullptr;
  Field(kNull, source_, path).fail("missing", "a value", present ? "null" : "none");
}

Field Field::at(std::size_t index) const {
  return {value_->items[index], source_, path_ + "[" + std::to_string(index) + "]"};
}

void Field::expect(JsonValue::Kind kind) const {
  if (!is(kind)) fail("wrong type", describe(kind));
}

const std::string& Field::as_string() const {
  expect(JsonValue::Kind::string);
  return value_->text;
}

bool Field::as_boolean() const {
  expect(JsonValue::Kind::boolean);
  return value_->boolean;
}

void Field::fail(std::string_view what, std::string_view expected, std::string_view got,
                 std::string_view hint) const {
  const std::string where = source_.empty() ? path_ : source_ + ": " + path_;
  const std::string_view found = got.empty() ? describe(value_->kind) : got;
  throw Error::bad_input(where, what,
                         {std::string(expected), std::string(found), std::string(hint)});
}

std::string quote_for_error(std::string_view text) {
  constexpr std::size_t kReadable = 80;
  std::size_t end = text.size();
  if (end > kReadable) {
    end = kReadable;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  return json_string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

}  // namespace deepinfer
