// Two rounds of threads: first all experts' inner activations, each thread over its own part of the
// moe width, then their outputs, each thread over its own part of the hidden width. Threads thus
// have equal work whichever experts were chosen, and an output is summed by one thread in ascending
// order of experts.

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/moe_groups.h"
#include "backend/cpu/product.h"
#include "backend/cpu/product_inputs.h"
#include "backend/cpu/product_kernels.h"
#include "backend/cpu/q8_values.h"
#include "backend/cpu/row_math.h"

namespace deepinfer::cpu {
namespace {

struct Shapes {
  std::int64_t rows;
  std::int64_t hidden;
  std::int64_t inner;  ///< moe width
  std::int64_t experts;
  std::int64_t choices;  ///< experts per row

  std::int64_t members() const { return rows * (choices + 1); }
};

Shapes shapes_of(const Shape& x, const Shape& chosen, std::int64_t experts, std::int64_t inner) {
  return {.rows = x[0], .hidden = x[1], .inner = inner, .experts = experts, .choices = chosen[1]};
}

/// Scratch of one thread, for a panel of outputs.
struct PanelScratch {
  float* values;  ///< [rows, kProductPanel]
  float* gates;   ///< [rows, kProductPanel]
  double* sums;   ///< [rows, kProductPanel]

  static std::size_t bytes(std::int64_t rows) {
    using Carver = host::WorkspaceCarver;
    const auto count = static_cast<std::size_t>(rows * kProductPanel);
    return 2 * Carver::bytes_for<float>(count) + Carver::bytes_for<double>(count);
  }
  PanelScratch(std::byte* start, std::int64_t rows) {
    host::WorkspaceCarver carver(start);
    const auto count = static_cast<std::size_t>(rows * kProductPanel);
    values = carver.take<float>(count);
    gates = carver.take<float>(count);
    sums = carver.take<double>(count);
  }
};

/// One run of the op.
class MoeStep {
 public:
  static std::size_t bytes(const Shapes& shapes, int threads) {
    using Carver = host::WorkspaceCarver;
    const auto members = static_cast<std::size_t>(shapes.members());
    return MoeGroups::bytes(shapes.rows, shapes.choices, shapes.experts) +
           2 * ProductInputs::bytes(shapes.rows, shapes.hidden) +
           2 * Carver::bytes_for<const float*>(members) +
           Carver::bytes_for<Bf16Pair>(members *
                                       static_cast<std::size_t>(padded_width(shapes.hidden) / 2)) +
           Carver::bytes_for<float>(members *
                                    static_cast<std::size_t>(padded_width(shapes.inner))) +
           static_cast<std::size_t>(threads) * PanelScratch::bytes(shapes.rows);
  }

  MoeStep(const ProductFunctions& isa, const Moe& op, const Operands& io, const Shapes& shapes,
          host::WorkspaceCarver& carver)
      : isa_(isa),
        op_(op),
        io_(io),
        shapes_(shapes),
        groups_(carver, shapes.rows, shapes.choices, shapes.experts),
        routed_inputs_(carver, shapes.rows, shapes.hidden),
        shared_inputs_(carver, shapes.rows, shapes.hidden),
        inputs_(carver.take<const float*>(static_cast<std::size_t>(shapes.members()))),
        inner_inputs_(carver.take<const float*>(static_cast<std::size_t>(shapes.members()))),
        hidden_tiles_(carver.take<Bf16Pair>(
            static_cast<std::size_t>(shapes.members() * padded_width(shapes.hidden) / 2))),
        inner_stride_(padded_width(shapes.inner)),
        inner_(carver.take<float>(static_cast<std::size_t>(shapes.members() * inner_stride_))),
        scratch_(carver.take<std::byte>(0)) {}

  void prepare(KernelContext& context);
  /// Inner activations [panels.begin, panels.end) of all members.
  void run_inner(Range part, int thread);
  /// Outputs [part.begin, part.end) of all rows.
  void run_outputs(Range part, int thread);

 private:
  bool is_shared(const MoeGroup& group) const { return group.expert == shapes_.experts; }
  /// Weight `operand` (4 … 6: w1, w3, w2) of the group's expert.
  const WeightRef& weight(const MoeGroup& group, std::size_t operand) const {
    constexpr std::size_t kToShared = 3;
    return is_shared(group) ? io_.weight(operand + kToShared)
                            : io_.bank(operand)[static_cast<std::size_t>(group.expert)];
  }
  InputForm hidden_form(const MoeGroup& group) const {
    return {.width = shapes_.hidden,
            .layout = layout(weight(group, 4)),
            .quantise = op_.quantise_input};
  }
  InputForm inner_form(const MoeGroup& group) const {
    return {
        .width = shapes_.inner, .layout = layout(weight(group, 6)), .quantise = op_.quantise_input};
  }
  InputLayout layout(const WeightRef& weight) const {
    return layout_for(isa_, weight, op_.quantise_input);
  }
  Bf16Pair* hidden_tiles(const MoeGroup& group) const {
    return hidden_tiles_ + group.first * padded_width(shapes_.hidden) / 2;
  }
  Bf16Pair* inner_tiles(const MoeGroup& group) const {
    return reinterpret_cast<Bf16Pair*>(inner_ + group.first * inner_stride_);
  }
  InputSet hidden_set(const MoeGroup& group) const {
    return {.rows = inputs_ + group.first,
            .tiles = is_tiled(hidden_form(group).layout) ? hidden_tiles(group) : nullptr,
            .count = group.count};
  }
  InputSet inner_set(const MoeGroup& group) const {
    return {.rows = inner_inputs_ + group.first,
            .tiles = is_tiled(inner_form(group).layout) ? inner_tiles(group) : nullptr,
            .count = group.count};
  }
  void pack_hidden(KernelContext& context);
  PanelScratch scratch(int thread) const {
    return {scratch_ + static_cast<std::size_t>(thread) * PanelScratch::bytes(shapes_.rows),
            shapes_.rows};
  }
  void inner_panel(const MoeGroup& group, Range panel, const PanelScratch& scratch,
                   NextPanel next) const;
  void output_panel(Range panel, const PanelScratch& scratch) const;

  const ProductFunctions& isa_;
  const Moe& op_;
  const Operands& io_;
  Shapes shapes_;
  MoeGroups groups_;
  ProductInputs routed_inputs_;
  ProductInputs shared_inputs_;
  const float** inputs_;        ///< by member
  const float** inner_inputs_;  ///< by member
  Bf16Pair* hidden_tiles_;      ///< where the layout is tiled: sets of the groups' members
  std::int64_t inner_stride_;
  /// [members, inner_stride_], in the form w2 reads; where that is tiled, sets of the groups'
  /// members from the same places on.
  float* inner_;
  std::byte* scratch_;
};

void MoeStep::prepare(KernelContext& context) {
  const TensorRef& x = io_.in(0);
  groups_.sort(io_.in(1), io_.in(2), io_.in(3).as<std::int32_t>());
  const auto row_of = [&](std::int64_t row) { return x.row<float>(row); };
  // Rows first, whoever chose them: what an expert's set is packed from.
  const auto row_form = [&](const WeightRef& w1) {
    InputForm form{.width = shapes_.hidden, .layout = layout(w1), .quantise = op_.quantise_input};
    if (is_tiled(form.layout)) form.layout = InputLayout::rows;
    return form;
  };
  routed_inputs_.prepare(context, isa_, row_form(io_.bank(4).front()), row_of);
  shared_inputs_.prepare(context, isa_, row_form(io_.weight(7)), row_of);

  for (const MoeGroup& group : groups_.groups()) {
    const ProductInputs& inputs = is_shared(group) ? shared_inputs_ : routed_inputs_;
    for (std::int32_t i = group.first; i < group.first + group.count; ++i) {
      inputs_[i] = inputs.row(groups_.members()[static_cast<std::size_t>(i)].row);
      inner_inputs_[i] = inner_ + i * inner_stride_;
    }
  }
  pack_hidden(context);
}

void MoeStep::pack_hidden(KernelContext& context) {
  if (isa_.tiles == nullptr) return;
  const auto pack = [&](const MoeGroup& group, Range members) {
    const InputForm form = hidden_form(group);
    if (!is_tiled(form.layout)) return;
    const TileWriter writer{.functions = isa_.tiles,
                            .layout = form.layout,
                            .width = shapes_.hidden,
                            .count = group.count,
                            .set = hidden_tiles(group)};
    for (std::int64_t i = members.begin; i < members.end; ++i)
      writer.write(inputs_[i], padded_width(shapes_.hidden) / kProductBlock, i - group.first, 0);
  };
  // Shared out by static shapes, although padding rows are members of no group.
  split_items(context, shapes_.members(), shapes_.hidden,
              [&](std::int64_t begin, std::int64_t end, int) {
                for (const MoeGroup& group : groups_.groups())
                  pack(group, {std::max<std::int64_t>(begin, group.first),
                               std::min<std::int64_t>(end, group.first + group.count)});
              });
}

/// silu(gate) * up * weight of `count` values, rounded (model specification 2.10, steps 1 and 2).
void swiglu(const Moe& op, const float* gate, const float* up, double weight, std::int64_t count,
            float* out) {
  const double limit = op.swiglu_limit;
  for (std::int64_t i = 0; i < count; ++i) {
    double g = gate[i];
    double u = up[i];
    if (limit > 0) {
      g = std::min(g, limit);  // no lower clamp on the gate
      u = std::clamp(u, -limit, limit);
    }
    out[i] = static_cast<float>(g / (1 + std::exp(-g)) * u * weight);
  }
  round_values(op.rounding, out, count);
}

void MoeStep::inner_panel(const MoeGroup& group, Range panel, const PanelScratch& scratch,
                          NextPanel next) const {
  const std::int64_t count = panel.end - panel.begin;
  ProductPart part{.outputs = panel,
                   .inputs = hidden_set(group),
                   .out = scratch.gates,
                   .out_stride = kProductPanel,
                   .next = panel_at(weight(group, 5), panel.begin)};
  multiply(isa_, weight(group, 4), part);
  part.out = scratch.values;
  part.next = next;
  multiply(isa_, weight(group, 5), part);

  // A panel is a block of w2's input, so its thread can put it into its form at once.
  static_assert(kProductPanel == kProductBlock);
  const InputForm form = inner_form(group);
  const TileWriter tiles{.functions = isa_.tiles,
                         .layout = form.layout,
                         .width = shapes_.inner,
                         .count = group.count,
                         .set = inner_tiles(group)};
  float* gate = scratch.gates;
  float* up = scratch.values;
  for (std::int64_t i = 0; i < group.count; ++i) {
    const MoeMember& member = groups_.members(group)[static_cast<std::size_t>(i)];
    round_values(op_.rounding, gate, count);
    round_values(op_.rounding, up, count);
    std::array<float, kProductBlock> block{};
    swiglu(op_, gate, up, member.weight, count, block.data());
    if (is_tiled(form.layout)) {
      if (form.quantise) fake_quantise_q8_block(block.data());
      tiles.write(block.data(), 1, i, panel.begin / kProductBlock);
    } else {
      store_block(block.data(), form, inner_ + (group.first + i) * inner_stride_ + panel.begin);
    }
    gate += kProductPanel;
    up += kProductPanel;
  }
}

void MoeStep::run_inner(Range part, int thread) {
  const PanelScratch own = scratch(thread);
  const auto groups = groups_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::int64_t begin = part.begin; begin < part.end; begin += kProductPanel) {
      const Range panel = {begin, std::min(begin + kProductPanel, part.end)};
      NextPanel next;
      if (panel.end < part.end)
        next = panel_at(weight(groups[g], 4), panel.end);
      else if (g + 1 < groups.size())
        next = panel_at(weight(groups[g + 1], 4), part.begin);
      inner_panel(groups[g], panel, own, next);
    }
}

void MoeStep::output_panel(Range panel, const PanelScratch& scratch) const {
  const std::int64_t count = panel.end - panel.begin;
  std::fill_n(scratch.sums, shapes_.rows * kProductPanel, 0.0);
  const auto groups = groups_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const MoeGroup& group = groups[g];
    const bool last = g + 1 == groups.size();
    multiply(
        isa_, weight(group, 6),
        {.outputs = panel,
         .inputs = inner_set(group),
         .out = scratch.values,
         .out_stride = kProductPanel,
         .next = panel_at(weight(groups[last ? 0 : g + 1], 6), last ? panel.end : panel.begin)});
    float* values = scratch.values;
    for (const MoeMember& member : groups_.members(group)) {
      round_values(op_.rounding, values, count);
      double* sums = scratch.sums + member.row * kProductPanel;
      for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(values[i]);
      values += kProductPanel;
    }
  }
  for (std::int64_t row = 0; row < shapes_.rows; ++row) {
    float* y = io_.out(0).row<float>(row) + panel.begin;
    const double* sums = scratch.sums + row * kProductPanel;
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(sums[i]);
    round_values(op_.rounding, y, count);
  }
}

void MoeStep::run_outputs(Range part, int thread) {
  const PanelScratch own = scratch(thread);
  for (std::int64_t begin = part.begin; begin < part.end; begin += kProductPanel)
    output_panel({begin, std::min(begin + kProductPanel, part.end)}, own);
}

}  // namespace

std::size_t moe_workspace(const Graph& graph, const Node& node, int threads) {
  const Shape& w1 = graph.value(node.operands[4]).shape;
  return MoeStep::bytes(shapes_of(graph.value(node.operands[0]).shape,
                                  graph.value(node.operands[1]).shape, w1[0], w1[1]),
                        threads);
}

void moe(const ProductFunctions& isa, const Moe& op, const Operands& io, KernelContext& context) {
  const auto bank = io.bank(4);
  const Shapes shapes = shapes_of(io.in(0).shape, io.in(1).shape,
                                  static_cast<std::int64_t>(bank.size()), bank.front().shape[0]);
  host::WorkspaceCarver carver(context.workspace);
  MoeStep step(isa, op, io, shapes, carver);
  step.prepare(context);
  const std::int64_t multiply_adds = shapes.members() * shapes.inner * shapes.hidden;
  split_outputs(context, shapes.inner, kProductPanel, multiply_adds,
                [&](std::int64_t begin, std::int64_t end, int thread) {
                  step.run_inner({begin, end}, thread);
                });
  split_outputs(context, shapes.hidden, kProductPanel, multiply_adds,
                [&](std::int64_t begin, std::int64_t end, int thread) {
                  step.run_outputs({begin, end}, thread);
                });
}

}  // namespace deepinfer::cpu
