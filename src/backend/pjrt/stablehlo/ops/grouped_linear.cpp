// Model specification 2.9.11, step 2.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const GroupedLinear& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& x = io.in(0);
  const WeightVal& weight = io.weight(1);
  const std::int64_t rows = x.dim(0);
  const std::int64_t ranks = weight.dims[0] / op.groups;
  const Val groups = w.reshape(x, {rows, op.groups, weight.dims[1]});
  const Val blocks = w.reshape(unpack(w, io.types, weight), {op.groups, ranks, weight.dims[1]});
  const Val products = w.dot(groups, blocks, {2}, {2}, {1}, {0});  // [group, row, rank]
  const Val y = w.reshape(w.transpose(products, {1, 0, 2}), {rows, weight.dims[0]});
  io.out(0, rounded(w, y, op.rounding));
}

}  // namespace deepinfer::pjrt
