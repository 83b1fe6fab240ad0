#include <algorithm>

#include "backend/cpu/product.h"
#include "backend/cpu/product_inputs.h"
#include "backend/cpu/product_kernels.h"
#include "backend/cpu/row_math.h"

namespace deepinfer::cpu {

std::size_t grouped_linear_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const Shape& x = graph.value(node.operands[0]).shape;
  const std::int64_t groups = std::get<GroupedLinear>(node.op).groups;
  return ProductInputs::bytes(x[0] * groups, x[1] / groups);
}

void grouped_linear(const ProductFunctions& isa, const GroupedLinear& op, const Operands& io,
                    KernelContext& context) {
  const TensorRef& x = io.in(0);
  const TensorRef& y = io.out(0);
  const WeightRef& weight = io.weight(1);
  const std::int64_t rows = x.shape[0];
  const std::int64_t width = weight.shape[1];  // of a group
  const std::int64_t outputs = y.shape[1];
  const std::int64_t ranks = outputs / op.groups;

  host::WorkspaceCarver carver(context.workspace);
  ProductInputs inputs(carver, rows * op.groups, width);  // group by group
  inputs.prepare(
      context, isa,
      {.width = width,
       .layout = layout_for(isa, weight, op.input == Rounding::bf16),
       .quantise = false},
      [&](std::int64_t item) { return x.row<float>(item % rows) + item / rows * width; },
      [&](std::int64_t item) {
        return Range{item / rows * rows, (item / rows + 1) * rows};
      });

  split_outputs(
      context, outputs, kOutputGrain, rows * width * outputs,
      [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t group = begin / ranks; group * ranks < end; ++group) {
          const Range part = {std::max(begin, group * ranks), std::min(end, (group + 1) * ranks)};
          multiply(isa, weight,
                   {.outputs = part,
                    .inputs = inputs.set({group * rows, (group + 1) * rows}),
                    .out = y.as<float>() + part.begin,
                    .out_stride = outputs});
        }
        for (std::int64_t row = 0; row < rows; ++row)
          round_values(op.rounding, y.row<float>(row) + begin, end - begin);
      });
}

}  // namespace deepinfer::cpu
