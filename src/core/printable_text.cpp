#include "core/printable_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace deepinfer {
namespace {

struct Character {
  std::size_t bytes = 1;
  bool printable = false;
};

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

bool is_continuation(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

/// Characters above ASCII that act on a terminal or on the line around them.
bool is_sign_of_control(std::uint32_t code) {
  return code < 0xa0 ||                         // C1 controls
         (code >= 0x2028 && code <= 0x202e) ||  // separators, embeddings and overrides
         (code >= 0x2066 && code <= 0x2069);    // isolates
}

/// The first character of `text`, which is not empty; a single unprintable byte if it is no UTF-8.
Character first_character(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {.bytes = 1, .printable = lead >= 0x20 && lead != 0x7f};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(byte_at(text, i))) return {};
    code = code << 6U | (byte_at(text, i) & 0x3fU);
  }
  // Overlong forms, surrogates and what lies beyond Unicode (two bytes: by the lead's range).
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast.at(bytes) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {.bytes = bytes, .printable = !is_sign_of_control(code)};
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    for (const char byte : text.substr(0, character.bytes)) {
      if (character.printable)
        result += byte;
      else
        result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(byte));
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::string printable_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable_text(text);
  std::string_view tail = text.substr(text.size() - most / 2);
  for (int i = 0; i < 3 && !tail.empty() && is_continuation(byte_at(tail, 0)); ++i)
    tail.remove_prefix(1);
  return printable_text(leading_text(text, most / 2)) + "…" + printable_text(tail);
}

std::string_view leading_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  // A character has at most four bytes: one that crosses the cut begins in the last three before.
  for (std::size_t begin = most - std::min<std::size_t>(most, 3); begin < most; ++begin)
    if (begin + first_character(text.substr(begin)).bytes > most) return text.substr(0, begin);
  return text.substr(0, most);
}

}  // namespace deepinfer
