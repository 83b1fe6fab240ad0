// Model specification 2.5, then 2.3.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const HcCollapseNorm& op, OpIo& io) {
  const Val collapsed = collapse(io.w, op.collapse, io.in(0), io.in(1));
  io.out(0, normalise(io.w, op.norm, collapsed, io.weight(2)));
}

}  // namespace deepinfer::pjrt
