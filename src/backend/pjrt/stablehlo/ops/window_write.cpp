// Model specification 2.9.2 and 5.2.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"

namespace deepinfer::pjrt {

void lower(const WindowWrite& /*op*/, OpIo& io) {
  ModuleWriter& w = io.w;
  const CacheVal& ring = io.cache(1);
  const Val& positions = io.in(3);
  const Val records = quantise(w, io.types, Quantiser::q8, io.in(0));
  const Val place = w.binary("remainder", w.max(positions, 0.0), double(ring.shape[1]));
  const Val inner = w.mul(place, double(ring.shape[2]));
  io.write(write_records(w, ring, clamp_index(w, io.in(2), ring.shape[0]), inner,
                         w.compare("GE", positions, 0.0), records));
}

}  // namespace deepinfer::pjrt
