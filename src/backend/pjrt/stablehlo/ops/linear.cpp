// Model specification 2.6.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"

namespace deepinfer::pjrt {

Val prepare(ModuleWriter& w, const TypeSupport& types, const Linear& op, const Val& x) {
  return op.quantise_input ? fake_quantise(w, types, Quantiser::q8, x) : x;
}

void lower(const Linear& op, OpIo& io) {
  const Val x = prepare(io.w, io.types, op, io.in(0));
  io.out(0, rounded(io.w, product(io.w, io.types, x, io.weight(1)), op.rounding));
}

}  // namespace deepinfer::pjrt
