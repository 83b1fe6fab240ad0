#pragma once

// UTF-8: decode, validate, repair. Well-formedness is that of the Unicode standard (no surrogates,
// no overlong forms, at most U+10FFFF). Repair puts one U+FFFD for each maximal invalid subpart,
// which is what the reference tokenizer library and Python's errors="replace" do. Pure functions:
// any thread; no input is an error. Positions and lengths are in bytes.

#include <cstddef>
#include <string>
#include <string_view>

namespace deepinfer {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct Utf8Step {
  char32_t code_point;  ///< U+FFFD where invalid
  std::size_t length;   ///< bytes consumed: the character, or the maximal invalid subpart; >= 1
  bool valid;
  bool cut_short;  ///< invalid only because the text ended inside a so far valid character
};

/// The character at `at`, which must be < text.size().
Utf8Step decode_utf8(std::string_view text, std::size_t at);

void append_utf8(std::string& text, char32_t code_point);

bool is_valid_utf8(std::string_view text);

/// Length of the longest valid prefix.
std::size_t valid_utf8_prefix(std::string_view text);

std::string repair_utf8(std::string_view text);

/// Bytes at the end (0 to 3) that begin a character which more bytes could complete.
std::size_t incomplete_suffix_length(std::string_view text);

}  // namespace deepinfer
