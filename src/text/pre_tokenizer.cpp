#include "text/pre_tokenizer.h"

namespace deepinfer {
namespace {

using namespace unicode_class;

constexpr std::uint8_t kSubjectKinds = kNumber | kCjk;

bool is_ascii_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

}  // namespace

PreTokenizer::PreTokenizer(std::string_view text)
    : text_(text), classes_(UnicodeClassTable::instance()) {}

PreTokenizer::Character PreTokenizer::at(std::size_t position) const {
  if (position >= text_.size()) return {0, 0};
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<std::uint8_t>(text_[position + i]));
  };
  // The text is known to be valid: the lead byte alone gives the length.
  const char32_t lead = byte(0);
  char32_t code_point = lead;
  std::uint8_t length = 1;
  if (lead >= 0xF0) {
    code_point =
        (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    length = 4;
  } else if (lead >= 0xE0) {
    code_point = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    length = 3;
  } else if (lead >= 0x80) {
    code_point = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    length = 2;
  }
  const std::uint8_t flags = classes_.flags(code_point);
  if ((flags & kSubjectKinds) != subject_) return {0, 0};
  return {flags, length};
}

std::size_t PreTokenizer::skip(std::size_t position, std::uint8_t any_of) const {
  for (Character c = at(position); (c.flags & any_of) != 0; c = at(position)) position += c.length;
  return position;
}

std::string_view PreTokenizer::next() {
  if (position_ >= text_.size()) return {};
  const std::size_t begin = position_;
  // Not both: no CJK character of stage 2 is a number.
  for (const std::uint8_t kind : {std::uint8_t{0}, kNumber, kCjk}) {
    subject_ = kind;
    if (at(begin).length != 0) break;
  }
  if (subject_ == kNumber) {
    position_ = digit_group_end(begin);
  } else {
    // Characters that start no match gather in one piece until a match or the subject's end.
    std::size_t end = begin;
    for (Character c = at(end); c.length != 0; c = at(end)) {
      const std::size_t match_end = match(end, c);
      if (match_end != end) {
        if (end == begin) end = match_end;
        break;
      }
      end += c.length;
    }
    position_ = end;
  }
  return text_.substr(begin, position_ - begin);
}

std::size_t PreTokenizer::digit_group_end(std::size_t position) const {
  for (int count = 0; count < 3; ++count) position += at(position).length;
  return position;
}

std::size_t PreTokenizer::match(std::size_t position, Character first) const {
  std::size_t end = match_ascii_word(position);
  if (end == position) end = match_letters(position, first);
  if (end == position) end = match_symbols(position, first);
  if (end == position && (first.flags & kWhiteSpace) != 0) end = match_white_space(position);
  return end;
}

// [ASCII punctuation][A-Za-z]+
std::size_t PreTokenizer::match_ascii_word(std::size_t position) const {
  if (!is_ascii_punctuation(text_[position])) return position;
  std::size_t end = position + 1;
  while (end < text_.size() && is_ascii_letter(text_[end])) ++end;
  return end == position + 1 ? position : end;
}

// [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
std::size_t PreTokenizer::match_letters(std::size_t position, Character first) const {
  constexpr std::uint8_t kRun = kLetter | kMark;
  const bool may_lead = (first.flags & (kLineEnd | kLetter | kPunctuation | kSymbol)) == 0;
  const bool in_run = (first.flags & kRun) != 0;
  if (!may_lead && !in_run) return position;
  const std::size_t rest = position + first.length;
  const std::size_t end = skip(rest, kRun);
  return in_run || end != rest ? end : position;
}

//  ?[\p{P}\p{S}]+[\r\n]*
std::size_t PreTokenizer::match_symbols(std::size_t position, Character first) const {
  constexpr std::uint8_t kRun = kPunctuation | kSymbol;
  const std::size_t start = text_[position] == ' ' ? position + first.length : position;
  const std::size_t end = skip(start, kRun);
  return end == start ? position : skip(end, kLineEnd);
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t PreTokenizer::match_white_space(std::size_t position) const {
  std::size_t end = position;
  std::size_t last_start = position;  // of the run's last character
  std::size_t line_end = position;    // after its last CR or LF
  for (Character c = at(end); (c.flags & kWhiteSpace) != 0; c = at(end)) {
    last_start = end;
    end += c.length;
    if ((c.flags & kLineEnd) != 0) line_end = end;
  }
  if (line_end != position) return line_end;
  const bool at_subject_end = at(end).length == 0;
  // What follows is no white space: the look-ahead leaves the last character to it.
  return at_subject_end || last_start == position ? end : last_start;
}

}  // namespace deepinfer
