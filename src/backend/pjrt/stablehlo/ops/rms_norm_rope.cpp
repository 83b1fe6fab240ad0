// Model specification 2.3, then 2.8.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const RmsNormRope& op, OpIo& io) {
  const Val normal = normalise(io.w, op.norm, io.in(0), io.weight(1));
  io.out(0, rotate(io.w, op.rope, normal, io.in(2)));
}

}  // namespace deepinfer::pjrt
