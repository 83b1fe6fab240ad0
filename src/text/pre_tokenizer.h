#pragma once

// Cuts text into the pieces that BPE merges within: the three Split stages of the DeepSeek
// pre-tokeniser (prompting specification 1.3) as one hand-written scanner (1.4).
//
// A scanner borrows the text, which must be valid UTF-8 and outlive it; it belongs to one thread.
// It visits each character a small constant number of times, whatever the text.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/unicode_class.h"

namespace deepinfer {

class PreTokenizer {
 public:
  explicit PreTokenizer(std::string_view text);

  /// The next piece; empty after the last. The pieces joined are the text.
  std::string_view next();

 private:
  struct Character {
    std::uint8_t flags;
    std::uint8_t length;  // bytes; 0 = end of the subject
  };

  Character at(std::size_t position) const;
  std::size_t skip(std::size_t position, std::uint8_t any_of) const;

  // Each returns the end of a match that starts at `position`, or `position` for none.
  std::size_t match(std::size_t position, Character first) const;
  std::size_t match_ascii_word(std::size_t position) const;
  std::size_t match_letters(std::size_t position, Character first) const;
  std::size_t match_symbols(std::size_t position, Character first) const;
  std::size_t match_white_space(std::size_t position) const;

  std::size_t digit_group_end(std::size_t position) const;

  std::string_view text_;
  const UnicodeClassTable& classes_;
  std::size_t position_ = 0;
  // Stage 1 and 2 cut the text into subjects: digits, CJK runs, and the rest. This is the kind of
  // the subject being scanned; a character of another kind ends it.
  std::uint8_t subject_ = 0;
};

}  // namespace deepinfer
