#include <algorithm>

#include "backend/cpu/row_kernels.h"

namespace deepinfer::cpu {

/// A few thousand integers at most: one thread.
void visible_entries(const VisibleEntries& op, const Operands& io, KernelContext& /*context*/) {
  const auto* positions = io.in(0).as<std::int32_t>();
  auto* visible = io.in(1).as<std::int32_t>();
  const std::int64_t rows = io.in(0).shape[0];
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t seen = std::max<std::int64_t>(std::int64_t{positions[row]} + 1, 0);
    visible[row] = static_cast<std::int32_t>(seen / op.ratio);
  }
}

}  // namespace deepinfer::cpu
