// Model specification 2.7.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"

namespace deepinfer::pjrt {

void lower(const FakeQuantise& op, OpIo& io) {
  io.out(0, fake_quantise(io.w, io.types, op.quantiser, io.in(0)));
}

}  // namespace deepinfer::pjrt
