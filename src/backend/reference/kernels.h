#pragma once

// One function per op; the op's declaration in graph/ops/ says what it computes. Values are fp32;
// sums run in double and are rounded once, so that what the reference says does not depend on their
// order. Single-threaded: the context's pool is not used.

#include "backend/host/kernel.h"

namespace deepinfer::reference {

using host::KernelContext;
using host::Operands;

void embedding(const Embedding& op, const Operands& io, KernelContext& context);
void engram_lookup(const EngramLookup& op, const Operands& io, KernelContext& context);
void engram_gate(const EngramGate& op, const Operands& io, KernelContext& context);
void hc_mix(const HcMix& op, const Operands& io, KernelContext& context);
void hc_collapse(const HcCollapse& op, const Operands& io, KernelContext& context);
void hc_expand(const HcExpand& op, const Operands& io, KernelContext& context);
void rms_norm(const RmsNorm& op, const Operands& io, KernelContext& context);
void linear(const Linear& op, const Operands& io, KernelContext& context);
void grouped_linear(const GroupedLinear& op, const Operands& io, KernelContext& context);
void rope(const Rope& op, const Operands& io, KernelContext& context);
void scale(const Scale& op, const Operands& io, KernelContext& context);
void fake_quantise(const FakeQuantise& op, const Operands& io, KernelContext& context);
void window_write(const WindowWrite& op, const Operands& io, KernelContext& context);
void block_write(const BlockWrite& op, const Operands& io, KernelContext& context);
void compress(const Compress& op, const Operands& io, KernelContext& context);
void visible_entries(const VisibleEntries& op, const Operands& io, KernelContext& context);
void index_top_k(const IndexTopK& op, const Operands& io, KernelContext& context);
void sparse_attention(const SparseAttention& op, const Operands& io, KernelContext& context);
void router(const Router& op, const Operands& io, KernelContext& context);
void moe(const Moe& op, const Operands& io, KernelContext& context);
void hc_collapse_norm(const HcCollapseNorm& op, const Operands& io, KernelContext& context);
void rms_norm_rope(const RmsNormRope& op, const Operands& io, KernelContext& context);
void linear_group(const LinearGroup& op, const Operands& io, KernelContext& context);
void lm_head(const LmHead& op, const Operands& io, KernelContext& context);

// Scratch memory of the ops that need some.
std::size_t linear_workspace(const Graph& graph, const Node& node, int threads);
std::size_t hc_mix_workspace(const Graph& graph, const Node& node, int threads);
std::size_t hc_expand_workspace(const Graph& graph, const Node& node, int threads);
std::size_t router_workspace(const Graph& graph, const Node& node, int threads);
std::size_t moe_workspace(const Graph& graph, const Node& node, int threads);
std::size_t index_top_k_workspace(const Graph& graph, const Node& node, int threads);
std::size_t sparse_attention_workspace(const Graph& graph, const Node& node, int threads);

}  // namespace deepinfer::reference
