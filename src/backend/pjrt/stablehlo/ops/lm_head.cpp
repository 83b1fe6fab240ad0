// Model specification 2.12.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const LmHead& /*op*/, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val logits = product(w, io.types, io.in(0), io.weight(1));
  const Val wanted = w.broadcast(w.compare("NE", io.in(2), 0.0), logits.dims, {0});
  io.out(0, w.select(wanted, logits, w.f32(0)));
}

}  // namespace deepinfer::pjrt
