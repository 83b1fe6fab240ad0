#include "text/byte_alphabet.h"

#include <array>

#include "text/utf8.h"

namespace deepinfer {
namespace {

// 256 + 68: the bytes without a printable Latin-1 character of their own map to U+0100…U+0143.
constexpr char32_t kAlphabetEnd = 0x144;

constexpr bool maps_to_itself(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

struct Tables {
  std::array<char32_t, 256> character{};
  std::array<std::int16_t, kAlphabetEnd> byte{};
};

constexpr Tables make_tables() {
  Tables tables;
  for (auto& entry : tables.byte) entry = -1;
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t character = maps_to_itself(byte) ? char32_t{byte} : next++;
    tables.character[byte] = character;
    tables.byte[character] = static_cast<std::int16_t>(byte);
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

char32_t byte_to_character(std::uint8_t byte) { return kTables.character[byte]; }

std::optional<std::uint8_t> character_to_byte(char32_t character) {
  if (character >= kAlphabetEnd || kTables.byte[character] < 0) return std::nullopt;
  return static_cast<std::uint8_t>(kTables.byte[character]);
}

std::string spell_bytes(std::string_view bytes) {
  std::string spelling;
  spelling.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    append_utf8(spelling, byte_to_character(static_cast<std::uint8_t>(byte)));
  }
  return spelling;
}

std::optional<std::string> unspell_bytes(std::string_view spelling) {
  std::string bytes;
  bytes.reserve(spelling.size());
  for (std::size_t at = 0; at < spelling.size();) {
    const Utf8Step step = decode_utf8(spelling, at);
    if (!step.valid) return std::nullopt;
    const auto byte = character_to_byte(step.code_point);
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
    at += step.length;
  }
  return bytes;
}

}  // namespace deepinfer
