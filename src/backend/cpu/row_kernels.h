#pragma once

// The kernels that work on activations row by row: everything but the products with weights.
//
// One function per op; the op's declaration in graph/ops/ says what it computes. All are threaded
// over rows, or over parts of rows whose results do not depend on the split. Three use functions of
// the instruction set.

#include "backend/cpu/isa/row_functions.h"
#include "backend/host/kernel.h"

namespace deepinfer::cpu {

using host::KernelContext;
using host::Operands;

void embedding(const Embedding& op, const Operands& io, KernelContext& context);
void engram_lookup(const EngramLookup& op, const Operands& io, KernelContext& context);
void engram_gate(const EngramGate& op, const Operands& io, KernelContext& context);
void hc_collapse(const HcCollapse& op, const Operands& io, KernelContext& context);
void hc_expand(const HcExpand& op, const Operands& io, KernelContext& context);
void rms_norm(const RmsNorm& op, const Operands& io, KernelContext& context);
void rope(const Rope& op, const Operands& io, KernelContext& context);
void scale(const Scale& op, const Operands& io, KernelContext& context);
void fake_quantise(const FakeQuantise& op, const Operands& io, KernelContext& context);
void window_write(const WindowWrite& op, const Operands& io, KernelContext& context);
void block_write(const BlockWrite& op, const Operands& io, KernelContext& context);
void compress(const Compress& op, const Operands& io, KernelContext& context);
void hc_collapse_norm(const HcCollapseNorm& op, const Operands& io, KernelContext& context);
void rms_norm_rope(const RmsNormRope& op, const Operands& io, KernelContext& context);
void visible_entries(const VisibleEntries& op, const Operands& io, KernelContext& context);
void router(const Router& op, const Operands& io, KernelContext& context);

void hc_mix(const RowFunctions& isa, const HcMix& op, const Operands& io, KernelContext& context);
void index_top_k(const RowFunctions& isa, const IndexTopK& op, const Operands& io,
                 KernelContext& context);
void sparse_attention(const RowFunctions& isa, const SparseAttention& op, const Operands& io,
                      KernelContext& context);

// Scratch memory of the ops that need some.
std::size_t engram_gate_workspace(const Graph& graph, const Node& node, int threads);
std::size_t hc_expand_workspace(const Graph& graph, const Node& node, int threads);
std::size_t rms_norm_workspace(const Graph& graph, const Node& node, int threads);
std::size_t rope_workspace(const Graph& graph, const Node& node, int threads);
std::size_t hc_collapse_norm_workspace(const Graph& graph, const Node& node, int threads);
std::size_t rms_norm_rope_workspace(const Graph& graph, const Node& node, int threads);
std::size_t router_workspace(const Graph& graph, const Node& node, int threads);
std::size_t hc_mix_workspace(const Graph& graph, const Node& node, int threads);
std::size_t index_top_k_workspace(const Graph& graph, const Node& node, int threads);
std::size_t sparse_attention_workspace(const Graph& graph, const Node& node, int threads);

}  // namespace deepinfer::cpu
