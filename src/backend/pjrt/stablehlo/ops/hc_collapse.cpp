// Model specification 2.5.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

Val collapse(ModuleWriter& w, const HcCollapse& op, const Val& streams, const Val& pre) {
  const Val weighted = w.mul(w.broadcast(pre, streams.dims, {0, 1}), streams);
  return rounded(w, w.reduce("add", weighted, 1), op.rounding);
}

void lower(const HcCollapse& op, OpIo& io) { io.out(0, collapse(io.w, op, io.in(0), io.in(1))); }

}  // namespace deepinfer::pjrt
