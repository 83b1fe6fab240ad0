#include "graph/op_reads.h"

#include <algorithm>
#include <cmath>

namespace deepinfer {
namespace {

/// A node's operands, and who made them.
class Inputs {
 public:
  Inputs(const Graph& graph, const Node& node, const PlainDType& plain_dtype)
      : graph_(graph), node_(node), plain_dtype_(plain_dtype) {}

  bool has(std::size_t index) const { return index < node_.operands.size(); }
  const Value& value(std::size_t index) const { return graph_.value(node_.operands[index]); }
  std::int64_t weight(std::size_t index) const { return weight_bytes(value(index), plain_dtype_); }

  std::int64_t all_weights() const {
    std::int64_t bytes = 0;
    for (std::size_t index = 0; index < node_.operands.size(); ++index)
      if (value(index).kind == ValueKind::weight) bytes += weight(index);
    return bytes;
  }
  /// Of the cache view `index`, whose shape is [rows, entries, record].
  std::int64_t record(std::size_t index) const {
    return value(index).shape[2] * static_cast<std::int64_t>(size_of(value(index).dtype));
  }
  Component dense(std::size_t weight_index) const {
    if (node_.place.find(".engram") != std::string::npos) return Component::engram;
    return value(weight_index).format == WeightFormat::plain ? Component::dense_plain
                                                             : Component::dense_fp8;
  }

  /// The ratio of the visible_entries that filled `visible`.
  std::int64_t ratio_of(ValueId visible) const {
    for (const Node& node : graph_.nodes)
      if (const auto* op = std::get_if<VisibleEntries>(&node.op))
        if (node.operands[1] == visible) return op->ratio;
    return 1;
  }
  /// The same of the entries that the index_top_k chose whose result operand `index` is.
  std::int64_t ratio_of_selected(std::size_t index) const {
    constexpr std::size_t kVisible = 5;
    for (const Node& node : graph_.nodes)
      if (std::holds_alternative<IndexTopK>(node.op) && node.results[0] == node_.operands[index])
        return ratio_of(node.operands[kVisible]);
    return 1;
  }
  ValueId id(std::size_t index) const { return node_.operands[index]; }

 private:
  const Graph& graph_;
  const Node& node_;
  const PlainDType& plain_dtype_;
};

OpReads of(Component component) {
  OpReads reads;
  reads.component = component;
  return reads;
}

OpReads product(Component component, std::int64_t weights) {
  OpReads reads = of(component);
  reads.multiplies_weights = true;
  reads.weights = weights;
  return reads;
}

OpReads reads_of(const Linear& /*op*/, const Inputs& in) {
  return product(in.dense(1), in.all_weights());
}
OpReads reads_of(const GroupedLinear& /*op*/, const Inputs& in) {
  return product(in.dense(1), in.all_weights());
}
OpReads reads_of(const LinearGroup& /*op*/, const Inputs& in) {
  return product(in.dense(1), in.all_weights());
}
OpReads reads_of(const LmHead& /*op*/, const Inputs& in) {
  return product(Component::head, in.all_weights());
}
OpReads reads_of(const HcMix& /*op*/, const Inputs& in) {
  return product(Component::hyper_connections, in.all_weights());
}

OpReads reads_of(const Moe& /*op*/, const Inputs& in) {
  constexpr std::size_t kFirst = 4;  // w1, w3, w2 of the bank
  const std::int64_t bank = in.weight(kFirst) + in.weight(kFirst + 1) + in.weight(kFirst + 2);
  OpReads reads = product(Component::experts, in.all_weights() - bank);
  reads.experts = in.value(kFirst).shape[0];
  reads.expert = bank / reads.experts;
  reads.experts_per_row = in.value(1).shape[1];
  return reads;
}

OpReads reads_of(const Embedding& /*op*/, const Inputs& in) {
  OpReads reads = of(Component::rest);
  reads.per_row = in.weight(1) / in.value(1).shape[0];
  return reads;
}

OpReads reads_of(const EngramLookup& /*op*/, const Inputs& in) {
  OpReads reads = of(Component::engram);
  reads.per_row = static_cast<std::int64_t>(in.value(0).bytes()) / in.value(0).shape[0];
  return reads;
}

OpReads reads_of(const IndexTopK& op, const Inputs& in) {
  OpReads reads = of(Component::attention);
  reads.entry = in.record(2);
  reads.ratio = in.ratio_of(in.id(5));
  if (in.has(6)) reads.most_entries = in.value(6).shape[1] * op.block_size;
  return reads;
}

OpReads reads_of(const SparseAttention& op, const Inputs& in) {
  OpReads reads = of(Component::attention);
  reads.weights = in.all_weights();
  reads.window_record = in.record(1);
  reads.window = op.window;
  if (in.has(7)) {
    reads.entry = in.record(5);
    reads.ratio = in.ratio_of_selected(7);
    reads.most_entries = in.value(7).shape[1];
  }
  return reads;
}

/// What has no matrix of its own: the vectors it may have are read whole.
OpReads vectors(Component component, const Inputs& in) {
  OpReads reads = of(component);
  reads.weights = in.all_weights();
  return reads;
}

OpReads reads_of(const EngramGate& /*op*/, const Inputs& in) {
  return vectors(Component::engram, in);
}
OpReads reads_of(const HcCollapse& /*op*/, const Inputs& in) {
  return vectors(Component::hyper_connections, in);
}
OpReads reads_of(const HcCollapseNorm& /*op*/, const Inputs& in) {
  return vectors(Component::hyper_connections, in);
}
OpReads reads_of(const HcExpand& /*op*/, const Inputs& in) {
  return vectors(Component::hyper_connections, in);
}
OpReads reads_of(const WindowWrite& /*op*/, const Inputs& in) {
  return vectors(Component::attention, in);
}
OpReads reads_of(const BlockWrite& /*op*/, const Inputs& in) {
  return vectors(Component::attention, in);
}
OpReads reads_of(const Compress& /*op*/, const Inputs& in) {
  return vectors(Component::attention, in);
}
OpReads reads_of(const VisibleEntries& /*op*/, const Inputs& in) {
  return vectors(Component::attention, in);
}

/// Norms, rotations, the router's choice and what else there is.
OpReads reads_of(const auto& /*op*/, const Inputs& in) { return vectors(Component::rest, in); }

double cache_bytes(const OpReads& reads, const StepRows& rows) {
  const std::int64_t seen = rows.first_position + rows.rows;
  const std::int64_t positions = std::min(seen, reads.window + rows.rows - 1);
  std::int64_t entries = seen / reads.ratio;
  if (reads.most_entries > 0) entries = std::min(entries, reads.most_entries * rows.rows);
  return static_cast<double>(reads.window > 0 ? positions * reads.window_record : 0) +
         static_cast<double>(entries * reads.entry);
}

}  // namespace

std::string_view name_of(Component component) {
  switch (component) {
    case Component::dense_fp8:
      return "dense FP8";
    case Component::dense_plain:
      return "dense BF16, F32";
    case Component::experts:
      return "experts";
    case Component::head:
      return "head";
    case Component::attention:
      return "attention over caches";
    case Component::hyper_connections:
      return "hyper-connections";
    case Component::engram:
      return "engram";
    case Component::rest:
      return "rest";
  }
  return "?";
}

OpReads op_reads(const Graph& graph, const Node& node, const PlainDType& plain_dtype) {
  const Inputs in(graph, node, plain_dtype);
  return std::visit([&](const auto& op) { return reads_of(op, in); }, node.op);
}

double bytes_read(const OpReads& reads, const std::vector<StepRows>& step, double experts) {
  double bytes = static_cast<double>(reads.weights) + experts * static_cast<double>(reads.expert);
  for (const StepRows& rows : step)
    bytes += static_cast<double>(rows.rows * reads.per_row) + cache_bytes(reads, rows);
  return bytes;
}

double expected_experts(std::int64_t experts, std::int64_t per_row, std::int64_t rows) {
  if (experts == 0) return 0;
  const double missed = 1 - static_cast<double>(per_row) / static_cast<double>(experts);
  return static_cast<double>(experts) * (1 - std::pow(missed, static_cast<double>(rows)));
}

}  // namespace deepinfer
