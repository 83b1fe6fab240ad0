// Model specification 3.6, step 1, and 4.3.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"

namespace deepinfer::pjrt {

void lower(const EngramLookup& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& rows = io.in(0);  // packed like Q8 records
  const Val values = dequantise(w, io.types, Quantiser::q8, rows, op.head_dim);
  io.out(0, w.reshape(values, {rows.dim(0), rows.dim(1) * op.head_dim}));
}

}  // namespace deepinfer::pjrt
