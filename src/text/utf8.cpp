#include "text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace deepinfer {
namespace {

struct Lead {
  int length;                // of the whole character; 0 for a byte that starts none
  std::uint8_t second_low;   // allowed range of the second byte: the only one that is narrower
  std::uint8_t second_high;  // than 80…BF (overlong forms, surrogates, beyond U+10FFFF)
};

// Unicode standard, table 3-7 "Well-Formed UTF-8 Byte Sequences".
Lead classify_lead(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Whole words of ASCII are skipped at once: most text is ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  while (at + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080ULL) != 0) break;
    at += 8;
  }
  return at;
}

}  // namespace

Utf8Step decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t first = byte(at);
  const Lead lead = classify_lead(first);
  if (lead.length == 1) return {first, 1, true, false};
  if (lead.length == 0) return {kReplacementCharacter, 1, false, false};
  // 7 >> length: the payload bits of the lead byte (5, 4, 3 for lengths 2, 3, 4).
  char32_t code_point = first & (0x7FU >> lead.length);
  for (std::size_t i = 1; i < static_cast<std::size_t>(lead.length); ++i) {
    if (at + i >= text.size()) return {kReplacementCharacter, i, false, true};
    const std::uint8_t low = i == 1 ? lead.second_low : 0x80;
    const std::uint8_t high = i == 1 ? lead.second_high : 0xBF;
    const std::uint8_t next = byte(at + i);
    if (next < low || next > high) return {kReplacementCharacter, i, false, false};
    code_point = (code_point << 6) | (next & 0x3FU);
  }
  return {code_point, static_cast<std::size_t>(lead.length), true, false};
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    at = skip_ascii(text, at);
    if (at >= text.size()) break;
    const Utf8Step step = decode_utf8(text, at);
    if (!step.valid) return at;
    at += step.length;
  }
  return text.size();
}

bool is_valid_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    repaired.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    append_utf8(repaired, kReplacementCharacter);
    text.remove_prefix(decode_utf8(text, 0).length);
  }
  return repaired;
}

std::size_t incomplete_suffix_length(std::string_view text) {
  // A lead byte never continues a character, so the last one within reach starts the suffix.
  const std::size_t reach = std::min<std::size_t>(3, text.size());
  for (std::size_t length = 1; length <= reach; ++length) {
    const Utf8Step step = decode_utf8(text, text.size() - length);
    if (step.cut_short && step.length == length) return length;
  }
  return 0;
}

}  // namespace deepinfer
