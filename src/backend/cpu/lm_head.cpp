#include <algorithm>

#include "backend/cpu/product.h"
#include "backend/cpu/product_inputs.h"
#include "backend/cpu/product_kernels.h"

namespace deepinfer::cpu {
namespace {

/// The first run of rows at or after `row` that all want their logits.
Range next_run(const std::int32_t* wants_logits, std::int64_t row, std::int64_t rows) {
  while (row < rows && wants_logits[row] == 0) ++row;
  Range run = {row, row};
  while (run.end < rows && wants_logits[run.end] != 0) ++run.end;
  return run;
}

/// The run that `row` is in; empty if nobody wants its logits.
Range run_around(const std::int32_t* wants_logits, std::int64_t row, std::int64_t rows) {
  if (wants_logits[row] == 0) return {row, row};
  Range run = {row, row + 1};
  while (run.begin > 0 && wants_logits[run.begin - 1] != 0) --run.begin;
  while (run.end < rows && wants_logits[run.end] != 0) ++run.end;
  return run;
}

}  // namespace

std::size_t lm_head_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const Shape& h = graph.value(node.operands[0]).shape;
  return ProductInputs::bytes(h[0], h[1]);
}

void lm_head(const ProductFunctions& isa, const LmHead& op, const Operands& io,
             KernelContext& context) {
  const TensorRef& h = io.in(0);
  const TensorRef& logits = io.out(0);
  const WeightRef& weight = io.weight(1);
  const auto* wants_logits = io.in(2).as<std::int32_t>();
  const std::int64_t rows = h.shape[0];
  const std::int64_t width = h.shape[1];
  const std::int64_t outputs = logits.shape[1];

  host::WorkspaceCarver carver(context.workspace);
  ProductInputs inputs(carver, rows, width);
  inputs.prepare(
      context, isa,
      {.width = width,
       .layout = layout_for(isa, weight, op.input == Rounding::bf16),
       .quantise = false},
      [&](std::int64_t row) { return h.row<float>(row); },
      [&](std::int64_t row) { return run_around(wants_logits, row, rows); });

  const auto panel = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = 0; row < rows; ++row)
      if (wants_logits[row] == 0)
        std::fill(logits.row<float>(row) + begin, logits.row<float>(row) + end, 0.0F);
    for (Range run = next_run(wants_logits, 0, rows); run.begin < run.end;
         run = next_run(wants_logits, run.end, rows))
      multiply(isa, weight,
               {.outputs = {begin, end},
                .inputs = inputs.set(run),
                .out = logits.row<float>(run.begin) + begin,
                .out_stride = outputs});
  };
  // Panel by panel, so that the weight is read once however many runs there are.
  split_outputs(context, outputs, kProductPanel, rows * width * outputs,
                [&](std::int64_t begin, std::int64_t end, int) {
                  for (std::int64_t at = begin; at < end; at += kProductPanel)
                    panel(at, std::min(at + kProductPanel, end));
                });
}

}  // namespace deepinfer::cpu
