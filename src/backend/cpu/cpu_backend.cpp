#include "backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "backend/cpu/isa/isa_kernels.h"
#include "backend/cpu/isa_selection.h"
#include "backend/cpu/product_kernels.h"
#include "backend/cpu/row_kernels.h"
#include "backend/host/host_backend.h"

namespace deepinfer::cpu {
namespace {

/// A kernel over row functions, bound to an instruction set at compile time: a kernel table holds
/// plain functions.
template <const IsaKernels& kIsa, typename OpStruct,
          void (*Function)(const RowFunctions&, const OpStruct&, const Operands&, KernelContext&)>
void with_rows(const OpStruct& op, const Operands& io, KernelContext& context) {
  Function(kIsa.rows, op, io, context);
}

/// The same over products.
template <const IsaKernels& kIsa, typename OpStruct,
          void (*Function)(const ProductFunctions&, const OpStruct&, const Operands&,
                           KernelContext&)>
void with_products(const OpStruct& op, const Operands& io, KernelContext& context) {
  Function(kIsa.products, op, io, context);
}

template <const IsaKernels& kIsa>
host::KernelTable make_kernels() {
  host::KernelTable table;
  table.set<Embedding, &embedding>();
  table.set<EngramLookup, &engram_lookup>();
  table.set<EngramGate, &engram_gate>(&engram_gate_workspace);
  table.set<HcMix, &with_rows<kIsa, HcMix, &hc_mix>>(&hc_mix_workspace);
  table.set<HcCollapse, &hc_collapse>();
  table.set<HcExpand, &hc_expand>(&hc_expand_workspace);
  table.set<RmsNorm, &rms_norm>(&rms_norm_workspace);
  table.set<Linear, &with_products<kIsa, Linear, &linear>>(&linear_workspace);
  table.set<GroupedLinear, &with_products<kIsa, GroupedLinear, &grouped_linear>>(
      &grouped_linear_workspace);
  table.set<Rope, &rope>(&rope_workspace);
  table.set<Scale, &scale>();
  table.set<FakeQuantise, &fake_quantise>();
  table.set<WindowWrite, &window_write>();
  table.set<BlockWrite, &block_write>();
  table.set<Compress, &compress>();
  table.set<VisibleEntries, &visible_entries>();
  table.set<IndexTopK, &with_rows<kIsa, IndexTopK, &index_top_k>>(&index_top_k_workspace);
  table.set<SparseAttention, &with_rows<kIsa, SparseAttention, &sparse_attention>>(
      &sparse_attention_workspace);
  table.set<Router, &router>(&router_workspace);
  table.set<Moe, &with_products<kIsa, Moe, &moe>>(&moe_workspace);
  table.set<LmHead, &with_products<kIsa, LmHead, &lm_head>>(&lm_head_workspace);
  table.set<HcCollapseNorm, &hc_collapse_norm>(&hc_collapse_norm_workspace);
  table.set<RmsNormRope, &rms_norm_rope>(&rms_norm_rope_workspace);
  table.set<LinearGroup, &with_products<kIsa, LinearGroup, &linear_group>>(&linear_workspace);
  return table;
}

host::KernelTable make_kernels(Isa isa) {
  switch (isa) {
    case Isa::amx:
      return make_kernels<kAmx>();
    case Isa::avx512:
      return make_kernels<kAvx512>();
    case Isa::avx2:
      return make_kernels<kAvx2>();
    case Isa::scalar:
      break;
  }
  return make_kernels<kScalar>();
}

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(std::string_view isa, int threads) {
  const Isa chosen = choose_isa(isa, supported_isas());
  return std::make_unique<host::HostBackend>(
      "cpu",
      fmt::format("cpu, {}, {} {}", name_of(chosen), threads, threads == 1 ? "thread" : "threads"),
      make_kernels(chosen), threads);
}

}  // namespace deepinfer::cpu
