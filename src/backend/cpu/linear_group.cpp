#include <algorithm>

#include "backend/cpu/product.h"
#include "backend/cpu/product_inputs.h"
#include "backend/cpu/product_kernels.h"

namespace deepinfer::cpu {
namespace {

std::int64_t grains(std::int64_t outputs) { return (outputs + kOutputGrain - 1) / kOutputGrain; }

/// Of all weights where they agree, as the weights of one format do; else fp32 rows, which plain
/// weights of any type read.
InputForm form_for_all(const ProductFunctions& isa, const Linear& op, const Operands& io) {
  InputForm form = linear_form(isa, op, io.weight(1));
  for (std::size_t k = 1; k < io.results(); ++k)
    if (linear_form(isa, op, io.weight(1 + k)).layout != form.layout)
      form.layout = InputLayout::rows;
  return form;
}

}  // namespace

void linear_group(const ProductFunctions& isa, const LinearGroup& op, const Operands& io,
                  KernelContext& context) {
  const TensorRef& x = io.in(0);
  const std::int64_t rows = x.shape[0];
  const std::int64_t width = x.shape[1];

  host::WorkspaceCarver carver(context.workspace);
  ProductInputs inputs(carver, rows, width);
  inputs.prepare(context, isa, form_for_all(isa, op.linear, io),
                 [&](std::int64_t row) { return x.row<float>(row); });

  // The grains of all weights one after the other are shared out, so that a part may end in one
  // weight and the next part go on in another.
  std::int64_t all_grains = 0;
  std::int64_t outputs = 0;
  for (std::size_t k = 0; k < io.results(); ++k) {
    all_grains += grains(io.out(k).shape[1]);
    outputs += io.out(k).shape[1];
  }
  split_outputs(context, all_grains, 1, rows * width * outputs,
                [&](std::int64_t begin, std::int64_t end, int) {
                  std::int64_t first = 0;  // grain of the weight at hand
                  for (std::size_t k = 0; k < io.results(); ++k) {
                    const TensorRef& y = io.out(k);
                    const std::int64_t last = first + grains(y.shape[1]);
                    const std::int64_t from = std::max(begin, first);
                    const std::int64_t to = std::min(end, last);
                    if (from < to)
                      linear_outputs(isa, op.linear, io.weight(1 + k), inputs.all(), y,
                                     {(from - first) * kOutputGrain,
                                      std::min((to - first) * kOutputGrain, y.shape[1])});
                    first = last;
                  }
                });
}

}  // namespace deepinfer::cpu
