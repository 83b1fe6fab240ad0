#include "backend/reference/reference_backend.h"

#include "backend/host/host_backend.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {
namespace {

host::KernelTable make_kernels() {
  host::KernelTable table;
  table.set<Embedding, &embedding>();
  table.set<EngramLookup, &engram_lookup>();
  table.set<EngramGate, &engram_gate>();
  table.set<HcMix, &hc_mix>(&hc_mix_workspace);
  table.set<HcCollapse, &hc_collapse>();
  table.set<HcExpand, &hc_expand>(&hc_expand_workspace);
  table.set<RmsNorm, &rms_norm>();
  table.set<Linear, &linear>(&linear_workspace);
  table.set<GroupedLinear, &grouped_linear>();
  table.set<Rope, &rope>();
  table.set<Scale, &scale>();
  table.set<FakeQuantise, &fake_quantise>();
  table.set<WindowWrite, &window_write>();
  table.set<BlockWrite, &block_write>();
  table.set<Compress, &compress>();
  table.set<VisibleEntries, &visible_entries>();
  table.set<IndexTopK, &index_top_k>(&index_top_k_workspace);
  table.set<SparseAttention, &sparse_attention>(&sparse_attention_workspace);
  table.set<Router, &router>(&router_workspace);
  table.set<Moe, &moe>(&moe_workspace);
  table.set<LmHead, &lm_head>();
  table.set<HcCollapseNorm, &hc_collapse_norm>();
  table.set<RmsNormRope, &rms_norm_rope>();
  table.set<LinearGroup, &linear_group>(&linear_workspace);
  return table;
}

}  // namespace

std::unique_ptr<Backend> make_reference_backend() {
  return std::make_unique<host::HostBackend>("reference", "reference, plain C++, 1 thread",
                                             make_kernels(), 1);
}

}  // namespace deepinfer::reference
