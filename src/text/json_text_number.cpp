#include "text/json_text_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace deepinfer {
namespace {

// Limits of Python's float repr for the form without exponent.
constexpr int kFixedFrom = -4;
constexpr int kFixedBelow = 16;

// from_chars reports overflow and underflow alike; the power of ten of the first significant digit
// tells them apart.
bool overflows(std::string_view token) {
  const std::size_t mark = token.find_first_of("eE");
  const std::string_view mantissa = token.substr(0, mark);
  long exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view digits = token.substr(mark + 1);
    const bool negative = digits.front() == '-';
    if (digits.front() == '-' || digits.front() == '+') digits.remove_prefix(1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec != std::errc{}) exponent = std::numeric_limits<int>::max();
    if (negative) exponent = -exponent;
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  return static_cast<long>(point) - static_cast<long>(first) + exponent > 0;
}

}  // namespace

std::string python_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";

  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c != '-' && c != '.') digits += c;
  }
  int exponent = 0;
  const std::size_t number = text[mark + 1] == '+' ? mark + 2 : mark + 1;
  std::from_chars(buffer.data() + number, end, exponent);

  std::string out = std::signbit(value) ? "-" : "";
  if (exponent < kFixedFrom || exponent >= kFixedBelow) {
    out += digits.substr(0, 1);
    if (digits.size() > 1) out += "." + digits.substr(1);
    const std::string power = std::to_string(std::abs(exponent));
    return out + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0) {
    return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return out + digits + std::string(whole - digits.size(), '0') + ".0";
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string canonical_number(std::string_view token) {
  if (token.find_first_of(".eE") == std::string_view::npos) {
    return token == "-0" ? "0" : std::string(token);
  }
  double value = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
  if (read.ec == std::errc::result_out_of_range) {
    value = overflows(token) ? std::numeric_limits<double>::infinity() : 0.0;
    if (token.front() == '-') value = -value;
  }
  return python_float(value);
}

}  // namespace deepinfer
