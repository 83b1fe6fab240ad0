// Model specification 2.6, once per weight.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const LinearGroup& op, OpIo& io) {
  const Val x = prepare(io.w, io.types, op.linear, io.in(0));
  for (std::size_t k = 0; k < io.results(); ++k)
    io.out(k, rounded(io.w, product(io.w, io.types, x, io.weight(1 + k)), op.linear.rounding));
}

}  // namespace deepinfer::pjrt
