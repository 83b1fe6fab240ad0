#pragma once

// Minimum, median and maximum of a few measurements. Plain data and a pure function.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace deepinfer {

struct Spread {
  std::size_t samples = 0;
  double min = 0;
  double median = 0;
  double max = 0;
};

inline Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {.samples = values.size(), .min = values.front(), .median = median, .max = values.back()};
}

}  // namespace deepinfer
