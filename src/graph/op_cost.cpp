#include "graph/op_cost.h"

#include <algorithm>

namespace deepinfer {
namespace {

/// A node with its values, and the sums that most costs are made of.
class Operands {
 public:
  Operands(const Graph& graph, const Node& node, const PlainDType& plain_dtype)
      : graph_(graph), node_(node), plain_dtype_(plain_dtype) {}

  bool has(std::size_t index) const { return index < node_.operands.size(); }
  const Shape& shape(std::size_t index) const { return value(index).shape; }
  std::int64_t rows() const { return graph_.rows; }
  std::int64_t weight(std::size_t index) const { return weight_bytes(value(index), plain_dtype_); }
  const Shape& result(std::size_t index) const { return graph_.value(node_.results[index]).shape; }

  /// Bytes of one record of the cache view `index`, whose shape is [rows, entries, record].
  std::int64_t record(std::size_t index) const {
    return shape(index)[2] * static_cast<std::int64_t>(size_of(value(index).dtype));
  }
  /// At most `count` records of the view, and no more than it has.
  std::int64_t records(std::size_t index, std::int64_t count) const {
    return std::min(count, shape(index)[0] * shape(index)[1]) * record(index);
  }

  /// Every operand but views, read once, and every result, written once. Of a block table, which is
  /// indexed by slot, the rows of as many sequences as the step can have.
  std::int64_t all_but_views() const {
    std::int64_t bytes = 0;
    for (std::size_t index = 0; index < node_.operands.size(); ++index) {
      const ValueKind kind = value(index).kind;
      if (kind == ValueKind::view || kind == ValueKind::root) continue;
      if (kind == ValueKind::weight)
        bytes += weight(index);
      else if (operand_names(node_.op)[index] == "block_table")
        bytes += size(value(index)) / shape(index)[0] * std::min(rows(), shape(index)[0]);
      else
        bytes += size(value(index));
    }
    for (const ValueId id : node_.results) bytes += size(graph_.value(id));
    return bytes;
  }

 private:
  static std::int64_t size(const Value& value) { return static_cast<std::int64_t>(value.bytes()); }
  const Value& value(std::size_t index) const { return graph_.value(node_.operands[index]); }

  const Graph& graph_;
  const Node& node_;
  const PlainDType& plain_dtype_;
};

// One function per op; letters are those of the formula in the op's header.

/// One row of the table per token.
OpCost cost_of(const Embedding& /*op*/, const Operands& in) {
  const std::int64_t table_row = in.weight(1) / in.shape(1)[0];
  return {.bytes = in.all_but_views() - in.weight(1) + in.rows() * table_row, .flops = 0};
}

OpCost cost_of(const EngramLookup& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 0};
}

/// Per channel of a stream: two products and a multiply-add of the dot, two multiply-adds of
/// squares, the gated add.
OpCost cost_of(const EngramGate& /*op*/, const Operands& in) {
  constexpr std::int64_t kPerChannel = 2 + 2 + 4 + 2;
  return {.bytes = in.all_but_views(), .flops = kPerChannel * in.shape(0).elements()};
}

/// M = (2 + HC) HC dots over HC D values, the squares, and per Sinkhorn iteration a sum and a
/// division per element for rows and for columns.
OpCost cost_of(const HcMix& op, const Operands& in) {
  const Shape& streams = in.shape(0);
  const std::int64_t mixed = in.shape(1)[0];
  const std::int64_t comb = streams[1] * streams[1];
  const std::int64_t per_row =
      2 * (mixed + 1) * streams[1] * streams[2] + 4 * comb * op.sinkhorn_iters;
  return {.bytes = in.all_but_views(), .flops = in.rows() * per_row};
}

OpCost cost_of(const HcCollapse& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 2 * in.shape(0).elements()};
}

/// Per element of X': one multiply-add per stream and one for y.
OpCost cost_of(const HcExpand& /*op*/, const Operands& in) {
  const Shape& streams = in.shape(1);
  return {.bytes = in.all_but_views(), .flops = 2 * (streams[1] + 1) * streams.elements()};
}

/// The square's multiply-add, the two products.
OpCost cost_of(const RmsNorm& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 4 * in.shape(0).elements()};
}

OpCost cost_of(const Linear& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 2 * in.rows() * in.shape(1).elements()};
}

OpCost cost_of(const GroupedLinear& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 2 * in.rows() * in.shape(1).elements()};
}

/// Per rotated pair four products and two sums.
OpCost cost_of(const Rope& op, const Operands& in) {
  const std::int64_t heads = in.shape(0)[1] / op.head_dim;
  const auto pairs =
      static_cast<std::int64_t>(op.frequencies == nullptr ? 0 : op.frequencies->size());
  return {.bytes = in.all_but_views(), .flops = 6 * in.rows() * heads * pairs};
}

OpCost cost_of(const Scale& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = in.shape(0).elements()};
}

OpCost cost_of(const FakeQuantise& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 0};
}

OpCost cost_of(const CacheView& /*op*/, const Operands& /*in*/) { return {}; }

/// One record per row.
OpCost cost_of(const WindowWrite& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views() + in.records(1, in.rows()), .flops = 0};
}

/// One record per row: rows of different sequences may all end their group.
OpCost cost_of(const BlockWrite& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views() + in.records(1, in.rows()), .flops = 0};
}

/// A row reads or writes one pending (a, g) at most. Per channel of a finished group: two
/// differences, two exponentials, their sum, two multiply-adds, a division.
OpCost cost_of(const Compress& /*op*/, const Operands& in) {
  constexpr std::int64_t kPerChannel = 2 + 2 + 1 + 4 + 1;
  return {.bytes = in.all_but_views() + in.records(2, 2 * in.rows()),
          .flops = kPerChannel * in.shape(0).elements()};
}

/// Integers only.
OpCost cost_of(const VisibleEntries& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 0};
}

/// Every row scores every entry that its block table, or its candidate blocks, can name: a dot and
/// a weighted add per head. Rows of one sequence read the same records.
OpCost cost_of(const IndexTopK& op, const Operands& in) {
  const std::int64_t width = in.shape(0)[1] / op.heads;
  std::int64_t entries = in.shape(3)[1] * in.shape(2)[1];
  if (in.has(6)) entries = std::min(entries, in.shape(6)[1] * op.block_size);
  return {.bytes = in.all_but_views() + in.records(2, in.rows() * entries),
          .flops = in.rows() * entries * op.heads * (2 * width + 2)};
}

/// Window and selected entries, each a dot and a weighted sum per head.
OpCost cost_of(const SparseAttention& op, const Operands& in) {
  const std::int64_t selected = in.has(7) ? in.shape(7)[1] : 0;
  std::int64_t bytes = in.all_but_views() + in.records(1, in.rows() * op.window);
  if (in.has(5)) bytes += in.records(5, in.rows() * selected);
  return {.bytes = bytes, .flops = 4 * in.rows() * (op.window + selected) * in.shape(0)[1]};
}

/// Per expert temperature, score and bias; per chosen one its share and the scale.
OpCost cost_of(const Router& op, const Operands& in) {
  return {.bytes = in.all_but_views(),
          .flops = in.rows() * (3 * in.shape(0)[1] + 2 * op.experts_per_token)};
}

/// At most rows * k of the experts, and the shared one. Per row and expert three linears, four
/// products or functions per inner channel (sigmoid, its product, u, the routing weight), one add
/// per output channel.
OpCost cost_of(const Moe& /*op*/, const Operands& in) {
  const std::int64_t experts = in.shape(4)[0];
  const std::int64_t inner = in.shape(4)[1];
  const std::int64_t width = in.shape(4)[2];
  const std::int64_t chosen = in.shape(1)[1];
  const std::int64_t touched = std::min(in.rows() * chosen, experts);
  const std::int64_t bank = in.weight(4) + in.weight(5) + in.weight(6);
  return {.bytes = in.all_but_views() - bank + bank / experts * touched,
          .flops = in.rows() * (chosen + 1) * (6 * width * inner + 4 * inner + width)};
}

OpCost cost_of(const LmHead& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(), .flops = 2 * in.rows() * in.shape(1).elements()};
}

OpCost cost_of(const HcCollapseNorm& /*op*/, const Operands& in) {
  return {.bytes = in.all_but_views(),
          .flops = 2 * in.shape(0).elements() + 4 * in.result(0).elements()};
}

OpCost cost_of(const RmsNormRope& op, const Operands& in) {
  OpCost cost = cost_of(op.rope, in);
  cost.flops += cost_of(op.norm, in).flops;
  return cost;
}

OpCost cost_of(const LinearGroup& /*op*/, const Operands& in) {
  std::int64_t weights = 0;
  for (std::size_t index = 1; in.has(index); ++index) weights += in.shape(index).elements();
  return {.bytes = in.all_but_views(), .flops = 2 * in.rows() * weights};
}

/// Tiles of 32 that an extent is covered by.
std::int64_t tiles(std::int64_t extent) { return (extent + 31) / 32; }

}  // namespace

std::int64_t weight_bytes(const Value& weight, const PlainDType& plain_dtype) {
  const std::int64_t elements = weight.shape.elements();
  if (weight.format == WeightFormat::plain)
    return elements *
           static_cast<std::int64_t>(size_of(plain_dtype ? plain_dtype(weight) : DType::bf16));
  const std::size_t rank = weight.shape.rank();
  const std::int64_t in = weight.shape[rank - 1];
  const std::int64_t out = weight.shape[rank - 2];
  const std::int64_t tensors = rank == 3 ? weight.shape[0] : 1;
  if (weight.format == WeightFormat::fp8) return elements + tensors * tiles(out) * tiles(in);
  return elements / 2 + tensors * out * tiles(in);
}

OpCost op_cost(const Graph& graph, const Node& node, const PlainDType& plain_dtype) {
  const Operands operands(graph, node, plain_dtype);
  return std::visit([&](const auto& op) { return cost_of(op, operands); }, node.op);
}

}  // namespace deepinfer
