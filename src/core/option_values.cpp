#include "core/option_values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "core/printable_text.h"

namespace deepinfer {
namespace {

constexpr std::size_t kLongestQuote = 80;  // a message stays one readable line

enum class NumberFault { none, malformed, too_large };

/// Reads all of `text` as a number. from_chars takes no blanks, no '+' and no locale.
template <typename Number>
NumberFault read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) return NumberFault::malformed;
  return error == std::errc::result_out_of_range ? NumberFault::too_large : NumberFault::none;
}

/// The whole number of `text`, or an error.
template <typename Number>
Number whole_number(const ValueContext& context, std::string_view text) {
  Number number{};
  switch (read_number(text, number)) {
    case NumberFault::malformed:
      throw bad_value(context, "not a whole number", text);
    case NumberFault::too_large:
      throw bad_value(context, "out of range", text);
    case NumberFault::none:
      break;
  }
  return number;
}

}  // namespace

std::string quoted_text(std::string_view text) {
  const std::string_view shown = leading_text(text, kLongestQuote);
  std::string result;
  for (const char letter : shown) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return '"' + printable_text(result) + (shown.size() < text.size() ? "…\"" : "\"");
}

Error bad_value(const ValueContext& context, std::string_view what, std::string_view text,
                std::string hint) {
  return Error::bad_input(context.where, what,
                          {.expected = std::string(context.accepted),
                           .got = quoted_text(text),
                           .hint = std::move(hint)});
}

std::int64_t parse_integer(const ValueContext& context, std::string_view text, std::int64_t least,
                           std::int64_t most) {
  const auto number = whole_number<std::int64_t>(context, text);
  if (number < least || number > most) throw bad_value(context, "out of range", text);
  return number;
}

std::uint64_t parse_unsigned(const ValueContext& context, std::string_view text) {
  return whole_number<std::uint64_t>(context, text);
}

std::int64_t parse_bytes(const ValueContext& context, std::string_view text, std::int64_t most) {
  int shift = 0;
  std::string_view digits = text;
  if (!text.empty()) {
    constexpr std::string_view kUnits = "KMGkmg";
    const std::size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit % 3) + 1);
      digits.remove_suffix(1);
    }
  }
  std::int64_t number = 0;
  switch (read_number(digits, number)) {
    case NumberFault::malformed:
      throw bad_value(context, "not a number of bytes", text);
    case NumberFault::too_large:
      throw bad_value(context, "out of range", text);
    case NumberFault::none:
      break;
  }
  if (number < 1 || number > (most >> shift)) throw bad_value(context, "out of range", text);
  return number << shift;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<std::pair<int, char>, 3> kUnits = {{{30, 'G'}, {20, 'M'}, {10, 'K'}}};
  for (const auto& [shift, letter] : kUnits)
    if (bytes != 0 && bytes % (std::int64_t{1} << shift) == 0)
      return fmt::format("{}{}", bytes >> shift, letter);
  return std::to_string(bytes);
}

float parse_real(const ValueContext& context, std::string_view text) {
  float number = 0;
  const NumberFault fault = read_number(text, number);
  if (fault == NumberFault::malformed || (fault == NumberFault::none && !std::isfinite(number)))
    throw bad_value(context, "not a finite number", text);  // "inf" and "nan" parse
  if (fault == NumberFault::too_large) throw bad_value(context, "out of range", text);
  return number;
}

std::string real_text(float value) {
  std::array<char, 64> buffer{};  // the longest shortest form of a float has 15 characters
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string();
}

bool parse_bool(const ValueContext& context, std::string_view text) {
  for (const std::string_view word : {"true", "1", "on", "yes"})
    if (text == word) return true;
  for (const std::string_view word : {"false", "0", "off", "no"})
    if (text == word) return false;
  throw bad_value(context, "not a yes or no", text);
}

}  // namespace deepinfer
