// Model specification 2.9.3, 2.9.4 and 5.2.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"

namespace deepinfer::pjrt {

void lower(const BlockWrite& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const CacheVal& cache = io.cache(1);
  const Val& block_table = io.in(2);
  const Val slots = clamp_index(w, io.in(3), block_table.dim(0));
  const Val& positions = io.in(4);
  const Val records = quantise(w, io.types, op.quantiser, io.in(0));
  // A row writes if it is the last of its group.
  const Val next = w.add(w.max(positions, 0.0), 1.0);
  const Val whole = w.compare("EQ", w.binary("remainder", next, double(op.ratio)), 0.0);
  const Val writes = w.both(w.compare("GE", positions, 0.0), whole);

  const Val entry = w.binary("divide", w.max(positions, 0.0), double(op.ratio));
  const auto entries = double(cache.shape[1]);
  const Val number = clamp_index(w, w.binary("divide", entry, entries), block_table.dim(1));
  const Val place = w.add(w.mul(slots, double(block_table.dim(1))), number);
  const Val blocks = w.gather_rows(w.reshape(block_table, {block_table.elements()}), place);
  const Val inner = w.mul(w.binary("remainder", entry, entries), double(cache.shape[2]));
  io.write(write_records(w, cache, clamp_index(w, blocks, cache.shape[0]), inner, writes, records));
}

}  // namespace deepinfer::pjrt
