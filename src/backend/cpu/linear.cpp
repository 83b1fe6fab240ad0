#include "backend/cpu/product.h"
#include "backend/cpu/product_inputs.h"
#include "backend/cpu/product_kernels.h"
#include "backend/cpu/row_math.h"

namespace deepinfer::cpu {

void linear_outputs(const ProductFunctions& isa, const Linear& op, const WeightRef& weight,
                    const InputSet& inputs, const TensorRef& y, Range outputs) {
  multiply(isa, weight,
           {.outputs = outputs,
            .inputs = inputs,
            .out = y.as<float>() + outputs.begin,
            .out_stride = y.shape[1]});
  for (std::int64_t row = 0; row < y.shape[0]; ++row)
    round_values(op.rounding, y.row<float>(row) + outputs.begin, outputs.end - outputs.begin);
}

InputForm linear_form(const ProductFunctions& isa, const Linear& op, const WeightRef& weight) {
  const bool bf16_values = op.quantise_input || op.input == Rounding::bf16;
  return {.width = weight.shape[1],
          .layout = layout_for(isa, weight, bf16_values),
          .quantise = op.quantise_input};
}

std::size_t linear_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const Shape& x = graph.value(node.operands[0]).shape;
  return ProductInputs::bytes(x[0], x[1]);
}

void linear(const ProductFunctions& isa, const Linear& op, const Operands& io,
            KernelContext& context) {
  const TensorRef& x = io.in(0);
  const TensorRef& y = io.out(0);
  const WeightRef& weight = io.weight(1);
  const std::int64_t rows = x.shape[0];
  const std::int64_t width = x.shape[1];
  const std::int64_t outputs = y.shape[1];

  host::WorkspaceCarver carver(context.workspace);
  ProductInputs inputs(carver, rows, width);
  inputs.prepare(context, isa, linear_form(isa, op, weight),
                 [&](std::int64_t row) { return x.row<float>(row); });

  split_outputs(context, outputs, kOutputGrain, rows * width * outputs,
                [&](std::int64_t begin, std::int64_t end, int) {
                  linear_outputs(isa, op, weight, inputs.all(), y, {begin, end});
                });
}

}  // namespace deepinfer::cpu
