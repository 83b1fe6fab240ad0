#pragma once

// The kernels that multiply with checkpoint weights. One function per op; the op's declaration in
// graph/ops/ says what it computes. All are threaded over outputs, never along a dot product.

#include "backend/cpu/isa/product_functions.h"
#include "backend/cpu/product_inputs.h"
#include "backend/host/kernel.h"

namespace deepinfer::cpu {

using host::KernelContext;
using host::Operands;

void linear(const ProductFunctions& isa, const Linear& op, const Operands& io,
            KernelContext& context);
void linear_group(const ProductFunctions& isa, const LinearGroup& op, const Operands& io,
                  KernelContext& context);
void grouped_linear(const ProductFunctions& isa, const GroupedLinear& op, const Operands& io,
                    KernelContext& context);
void lm_head(const ProductFunctions& isa, const LmHead& op, const Operands& io,
             KernelContext& context);
void moe(const ProductFunctions& isa, const Moe& op, const Operands& io, KernelContext& context);

/// Some outputs of a linear for all rows of y, from prepared inputs: what `linear` and
/// `linear_group` are made of.
void linear_outputs(const ProductFunctions& isa, const Linear& op, const WeightRef& weight,
                    const InputSet& inputs, const TensorRef& y, Range outputs);

/// The form that a linear's input takes for its weight.
InputForm linear_form(const ProductFunctions& isa, const Linear& op, const WeightRef& weight);

/// Of linear_group as well.
std::size_t linear_workspace(const Graph& graph, const Node& node, int threads);
std::size_t grouped_linear_workspace(const Graph& graph, const Node& node, int threads);
std::size_t lm_head_workspace(const Graph& graph, const Node& node, int threads);
std::size_t moe_workspace(const Graph& graph, const Node& node, int threads);

}  // namespace deepinfer::cpu
