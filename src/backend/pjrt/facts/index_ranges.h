#pragma once

// Whether the indices of a module can leave what they index, found out from its text: integers are
// followed as intervals from constants, counters and clamps to every gather, scatter, dynamic_slice
// and dynamic_update_slice. Devices differ in what they do about one that leaves (clamp it, skip
// it, fail), so ours must never.
//
// Reads modules as module_writer.h writes them. An index that it cannot bound is a violation.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/pjrt/facts/module_rules.h"

namespace deepinfer::pjrt {

struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;  ///< included

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// `parameters`: bounds of parameters of @main by name; others may hold anything.
std::vector<Violation> check_indices(std::string_view text,
                                     const std::map<std::string, Interval>& parameters);

}  // namespace deepinfer::pjrt
