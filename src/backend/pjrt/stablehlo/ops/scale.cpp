// Model specification 2.9.5.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const Scale& op, OpIo& io) {
  io.out(0, rounded(io.w, io.w.mul(io.in(0), double{op.factor}), op.rounding));
}

}  // namespace deepinfer::pjrt
