#pragma once

// The kernels that multiply with checkpoint weights. One function per op; the op's declaration in
// graph/ops/ says what it computes. All are threaded over outputs, never along a dot product.

#include "backend/cpu/isa/product_functions.h"
#include "backend/host/kernel.h"

namespace deepinfer::cpu {

using host::KernelContext;
using host::Operands;

void linear(const ProductFunctions& isa, const Linear& op, const Operands& io,
            KernelContext& context);
void grouped_linear(const ProductFunctions& isa, const GroupedLinear& op, const Operands& io,
                    KernelContext& context);
void lm_head(const ProductFunctions& isa, const LmHead& op, const Operands& io,
             KernelContext& context);
void moe(const ProductFunctions& isa, const Moe& op, const Operands& io, KernelContext& context);

std::size_t linear_workspace(const Graph& graph, const Node& node, int threads);
std::size_t grouped_linear_workspace(const Graph& graph, const Node& node, int threads);
std::size_t lm_head_workspace(const Graph& graph, const Node& node, int threads);
std::size_t moe_workspace(const Graph& graph, const Node& node, int threads);

}  // namespace deepinfer::cpu
