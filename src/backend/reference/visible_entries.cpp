// Model specification 2.9.7.

#include <algorithm>

#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void visible_entries(const VisibleEntries& op, const Operands& io, KernelContext& /*context*/) {
  const auto* positions = io.in(0).as<std::int32_t>();
  auto* visible = io.in(1).as<std::int32_t>();
  for (std::int64_t t = 0; t < io.in(0).shape[0]; ++t)
    visible[t] =
        positions[t] < 0
            ? 0
            : static_cast<std::int32_t>((static_cast<std::int64_t>(positions[t]) + 1) / op.ratio);
}

}  // namespace deepinfer::reference
