#include "backend/pjrt/facts/interval.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace deepinfer::pjrt {
namespace {

Interval product(Interval a, Interval b) {
  std::array<std::int64_t, 4> corners{};
  std::size_t next = 0;
  for (const std::int64_t left : {a.low, a.high})
    for (const std::int64_t right : {b.low, b.high})
      if (__builtin_mul_overflow(left, right, &corners[next++])) return kAnything;
  const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  return {*low, *high};
}

/// Of a dividend that is not negative by a positive constant; StableHLO rounds towards zero.
bool is_plain_division(Interval a, Interval b) { return a.low >= 0 && b.low > 0; }

}  // namespace

bool is_whole_number(std::string_view element) {
  return element.starts_with("i") || element.starts_with("ui");
}

Interval range_of(std::string_view element) {
  int bits = 0;
  const bool is_signed = element.starts_with("i");
  const std::string_view digits = element.substr(std::min(element.size(), is_signed ? 1UL : 2UL));
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (fault != std::errc() || bits >= 63 || bits < 1) return kAnything;
  if (bits == 1) return {0, 1};
  if (!is_signed) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

Interval fitted(Interval bounds, std::string_view element) {
  const Interval all = range_of(element);
  return bounds.low >= all.low && bounds.high <= all.high ? bounds : all;
}

Interval common(Interval a, Interval b) {
  const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? both : b;
}

Interval joined(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval binary(std::string_view op, Interval a, Interval b) {
  if (op == "minimum") return {std::min(a.low, b.low), std::min(a.high, b.high)};
  if (op == "maximum") return {std::max(a.low, b.low), std::max(a.high, b.high)};
  if (op == "add") return {a.low + b.low, a.high + b.high};
  if (op == "subtract") return {a.low - b.high, a.high - b.low};
  if (op == "multiply") return product(a, b);
  if (op == "divide" && is_plain_division(a, b)) return {a.low / b.high, a.high / b.low};
  if (op == "remainder" && is_plain_division(a, b)) return {0, std::min(a.high, b.high - 1)};
  if (op == "shift_right_logical" && a.low >= 0 && b.low == b.high && b.low >= 0 && b.low < 62)
    return {a.low >> b.low, a.high >> b.low};
  if (op == "and" && a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  return kAnything;
}

Interval constant_of(std::string_view line) {
  constexpr std::string_view kOpen = "dense<";
  const std::size_t at = line.find(kOpen);
  if (at == std::string_view::npos) return kAnything;
  const std::string_view value = line.substr(at + kOpen.size());
  if (value.starts_with("true")) return {1, 1};
  if (value.starts_with("false")) return {0, 0};
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
  const auto length = static_cast<std::size_t>(end - value.data());
  return fault == std::errc() && value.substr(length).starts_with('>') ? Interval{number, number}
                                                                       : kAnything;
}

}  // namespace deepinfer::pjrt
