// Model specification 2.5.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const HcExpand& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& streams = io.in(1);
  const Dims& dims = streams.dims;
  const Val own = w.mul(w.broadcast(io.in(2), dims, {0, 1}), w.broadcast(io.in(0), dims, {0, 2}));
  // comb [t, j, k] with streams [t, j, d], summed over j: [t, k, d].
  const Val mixed = w.dot(io.in(3), streams, {1}, {1}, {0}, {0});
  io.out(0, rounded(w, w.add(own, mixed), op.rounding));
}

}  // namespace deepinfer::pjrt
