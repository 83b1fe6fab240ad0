#pragma once

// What the pre-tokeniser needs to know of a code point, as one byte of flags.
//
// General categories come from utf8proc (2.8 has the tables of Unicode 15.0); characters assigned
// later count as unassigned. The table is built once, at first use, and is immutable: any thread.

#include <array>
#include <cstdint>
#include <vector>

namespace deepinfer {

/// Flags of a code point. `kLetter` … `kSymbol` are the general categories L, M, N, P, S.
namespace unicode_class {
inline constexpr std::uint8_t kLetter = 1;
inline constexpr std::uint8_t kMark = 2;
inline constexpr std::uint8_t kNumber = 4;
inline constexpr std::uint8_t kPunctuation = 8;
inline constexpr std::uint8_t kSymbol = 16;
inline constexpr std::uint8_t kWhiteSpace = 32;  ///< the White_Space property, `\s`
inline constexpr std::uint8_t kLineEnd = 64;     ///< CR, LF
inline constexpr std::uint8_t kCjk = 128;        ///< U+4E00–9FA5, U+3040–30FF
}  // namespace unicode_class

class UnicodeClassTable {
 public:
  /// The one table.
  static const UnicodeClassTable& instance();

  /// Flags of `code_point`, which must be at most U+10FFFF.
  std::uint8_t flags(char32_t code_point) const {
    return blocks_[block_of_[code_point >> 8]][code_point & 0xFF];
  }

 private:
  using Block = std::array<std::uint8_t, 256>;

  UnicodeClassTable();

  std::array<std::uint16_t, 0x1100> block_of_{};  // equal blocks are stored once
  std::vector<Block> blocks_;
};

/// The Unicode White_Space property (prompting specification 1.3).
bool is_white_space(char32_t code_point);

}  // namespace deepinfer
