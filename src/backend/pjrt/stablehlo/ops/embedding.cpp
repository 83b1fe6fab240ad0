// Model specification 2.1.

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const Embedding& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& table = io.weight(1).codes;
  const Val ids = clamp_index(w, io.in(0), table.dim(0));
  const Val row = widen(w, w.gather_rows(table, ids));
  const std::int64_t rows = row.dim(0);
  io.out(0, w.broadcast(row, {rows, op.streams, row.dim(1)}, {0, 2}));
  const Val stream = w.iota(Element::i32, {rows, op.streams}, 1);
  io.out(1, w.convert(w.compare("EQ", stream, 0.0), Element::f32));
}

}  // namespace deepinfer::pjrt
