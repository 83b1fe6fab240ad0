#pragma once

// How the small kernels share their rows among threads. The choice depends on static shapes only,
// so that a graph runs the same way every time; results never depend on it.

#include <cstdint>
#include <utility>

#include "backend/host/kernel.h"

namespace deepinfer::cpu {

/// Below this many element visits a fork and join costs more than it saves (a few microseconds).
inline constexpr std::int64_t kSmallOp = 32768;

/// Calls body(begin, end, member) over [0, items), on all threads if the work is worth it.
template <typename Body>
void split_items(host::KernelContext& context, std::int64_t items, std::int64_t work_per_item,
                 Body&& body) {
  if (items == 1 || context.pool.size() == 1 || items * work_per_item < kSmallOp)
    body(std::int64_t{0}, items, 0);
  else
    context.pool.parallel_for(items, 1, std::forward<Body>(body));
}

}  // namespace deepinfer::cpu
