#pragma once

// Every op of the graph, once. Order is that of a layer; nothing depends on it.

#include <optional>
#include <variant>

#include "graph/ops/block_write.h"
#include "graph/ops/cache_view.h"
#include "graph/ops/compress.h"
#include "graph/ops/embedding.h"
#include "graph/ops/engram_gate.h"
#include "graph/ops/engram_lookup.h"
#include "graph/ops/fake_quantise.h"
#include "graph/ops/grouped_linear.h"
#include "graph/ops/hc_collapse.h"
#include "graph/ops/hc_collapse_norm.h"
#include "graph/ops/hc_expand.h"
#include "graph/ops/hc_mix.h"
#include "graph/ops/index_top_k.h"
#include "graph/ops/linear.h"
#include "graph/ops/linear_group.h"
#include "graph/ops/lm_head.h"
#include "graph/ops/moe.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/rms_norm_rope.h"
#include "graph/ops/rope.h"
#include "graph/ops/router.h"
#include "graph/ops/scale.h"
#include "graph/ops/sparse_attention.h"
#include "graph/ops/visible_entries.h"
#include "graph/ops/window_write.h"

namespace deepinfer {

using Op = std::variant<Embedding, EngramLookup, EngramGate, HcMix, HcCollapse, HcExpand, RmsNorm,
                        Linear, GroupedLinear, Rope, Scale, FakeQuantise, CacheView, WindowWrite,
                        BlockWrite, Compress, VisibleEntries, IndexTopK, SparseAttention, Router,
                        Moe, LmHead, HcCollapseNorm, RmsNormRope, LinearGroup>;

std::string_view name_of(const Op& op);
/// The op of that name with the attributes of its declaration; nothing if there is none.
std::optional<Op> op_named(std::string_view name);
std::span<const std::string_view> operand_names(const Op& op);
std::span<const std::string_view> result_names(const Op& op);
/// How many operands at the end may be missing.
int optional_operands(const Op& op);
/// Operand (a cache view or derived metadata) that the op writes; -1 = none.
int written_operand(const Op& op);
/// Operand whose storage result 0 may take over; -1 = none.
int in_place_operand(const Op& op);
std::vector<ResultType> infer(const Op& op, const OperandTypes& operands);
AttributeList attributes(const Op& op);

}  // namespace deepinfer
