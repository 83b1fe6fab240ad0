#include <algorithm>
#include <cmath>

#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/sparse_attention_block.h"
#include "core/numeric_formats.h"

namespace deepinfer::cpu {
namespace {

struct Shapes {
  std::int64_t rows;
  std::int64_t heads;
  std::int64_t width;  ///< of a head
};

Shapes shapes_of(const Shape& q, int heads) {
  return {.rows = q[0], .heads = heads, .width = q[1] / heads};
}

/// Scratch of one thread: an unpacked block and the state of all heads.
struct Scratch {
  float* values;
  float* scores;
  float* maxima;
  float* denominators;
  float* shrink;

  static std::size_t bytes(const Shapes& shapes) {
    using Carver = host::WorkspaceCarver;
    const auto heads = static_cast<std::size_t>(shapes.heads);
    return Carver::bytes_for<float>(static_cast<std::size_t>(kAttentionBlock * shapes.width)) +
           Carver::bytes_for<float>(heads * kAttentionBlock) + 3 * Carver::bytes_for<float>(heads);
  }
  Scratch(std::byte* start, const Shapes& shapes) {
    host::WorkspaceCarver carver(start);
    const auto heads = static_cast<std::size_t>(shapes.heads);
    values = carver.take<float>(static_cast<std::size_t>(kAttentionBlock * shapes.width));
    scores = carver.take<float>(heads * kAttentionBlock);
    maxima = carver.take<float>(heads);
    denominators = carver.take<float>(heads);
    shrink = carver.take<float>(heads);
  }
};

/// The list of one row, unpacked block by block.
class EntryList {
 public:
  EntryList(const RowFunctions& isa, const SparseAttention& op, const Operands& io,
            std::int64_t row, std::int64_t width)
      : isa_(isa),
        window_(op.window),
        width_(width),
        position_(io.in(3).as<std::int32_t>()[row]),
        ring_length_(io.in(1).shape[1]),
        ring_record_(io.in(1).shape[2]) {
    const std::int32_t slot = io.in(2).as<std::int32_t>()[row];
    ring_ = io.in(1).row<std::uint8_t>(slot);
    if (!io.has(5)) return;
    cache_ = &io.in(5);
    blocks_ = io.in(6).row<std::int32_t>(slot);
    selected_ = io.in(7).row<std::int32_t>(row);
    selected_count_ = io.in(7).shape[1];
    // Chosen entries come first: what lies behind the first -1 is -1.
    while (selected_count_ > 0 && selected_[selected_count_ - 1] < 0) --selected_count_;
  }

  std::int64_t size() const { return window_ + selected_count_; }

  /// Unpacks the entries of list indices [begin, begin + kAttentionBlock) that exist, in order, and
  /// returns how many those are.
  std::int64_t unpack(std::int64_t begin, float* values) const {
    std::int64_t count = 0;
    const std::int64_t end = std::min(begin + kAttentionBlock, size());
    for (std::int64_t index = begin; index < end; ++index) {
      float* to = values + count * width_;
      if (index < window_) {
        const std::int64_t position = position_ - window_ + 1 + index;
        if (position < 0) continue;
        isa_.unpack_window(ring_ + position % ring_length_ * ring_record_, width_, to);
      } else {
        const std::int32_t entry = selected_[index - window_];
        if (entry < 0) continue;
        const std::int64_t entries = cache_->shape[1];
        isa_.unpack_compressed(cache_->row<std::uint8_t>(blocks_[entry / entries]) +
                                   entry % entries * cache_->shape[2],
                               width_, e4m3_table(), to);
      }
      ++count;
    }
    return count;
  }

 private:
  const RowFunctions& isa_;
  std::int64_t window_;
  std::int64_t width_;
  std::int64_t position_;
  std::int64_t ring_length_;
  std::int64_t ring_record_;
  const std::uint8_t* ring_ = nullptr;
  const TensorRef* cache_ = nullptr;
  const std::int32_t* blocks_ = nullptr;
  const std::int32_t* selected_ = nullptr;
  std::int64_t selected_count_ = 0;
};

/// Attends with heads [heads.begin, heads.end) of one row.
void attend(const RowFunctions& isa, const SparseAttention& op, const Operands& io,
            const Shapes& shapes, const float* sink, std::int64_t row, Range heads,
            const Scratch& scratch) {
  const std::int64_t count = heads.end - heads.begin;
  float* out = io.out(0).row<float>(row) + heads.begin * shapes.width;
  std::fill_n(out, count * shapes.width, 0.0F);
  if (io.in(3).as<std::int32_t>()[row] < 0) return;

  constexpr float kLowest = -1e30F;  // where the official running maximum starts
  std::fill_n(scratch.maxima, count, kLowest);
  std::fill_n(scratch.denominators, count, 0.0F);
  const AttentionHeads state{.q = io.in(0).row<float>(row) + heads.begin * shapes.width,
                             .count = count,
                             .maxima = scratch.maxima,
                             .denominators = scratch.denominators,
                             .out = out,
                             .scores = scratch.scores,
                             .shrink = scratch.shrink};
  const EntryList list(isa, op, io, row, shapes.width);
  for (std::int64_t begin = 0; begin < list.size(); begin += kAttentionBlock) {
    const std::int64_t entries = list.unpack(begin, scratch.values);
    if (entries == 0) continue;
    isa.attend_block({.values = scratch.values,
                      .entries = entries,
                      .width = shapes.width,
                      .scale = op.softmax_scale,
                      .round_to_bf16 = op.online_bf16},
                     state);
  }

  for (std::int64_t h = 0; h < count; ++h) {
    const float lead = sink[heads.begin + h] - scratch.maxima[h];
    const float denominator =
        scratch.denominators[h] + static_cast<float>(std::exp(static_cast<double>(lead)));
    float* o = out + h * shapes.width;
    for (std::int64_t c = 0; c < shapes.width; ++c) o[c] /= denominator;
    round_values(op.rounding, o, shapes.width);
  }
}

/// Into how many parts the heads of a row are split. One if there are rows for all threads: every
/// part unpacks the row's entries for itself, which only many heads make up for.
std::int64_t head_parts(const Shapes& shapes, int threads) {
  constexpr std::int64_t kHeadsPerPart = 8;
  constexpr std::int64_t kRowsPerThread = 4;
  if (shapes.rows >= kRowsPerThread * threads) return 1;
  return std::clamp<std::int64_t>(shapes.heads / kHeadsPerPart, 1, threads);
}

}  // namespace

std::size_t sparse_attention_workspace(const Graph& graph, const Node& node, int threads) {
  const Shapes shapes =
      shapes_of(graph.value(node.operands[0]).shape, std::get<SparseAttention>(node.op).heads);
  return host::WorkspaceCarver::bytes_for<float>(static_cast<std::size_t>(shapes.heads)) +
         static_cast<std::size_t>(threads) * Scratch::bytes(shapes);
}

void sparse_attention(const RowFunctions& isa, const SparseAttention& op, const Operands& io,
                      KernelContext& context) {
  const Shapes shapes = shapes_of(io.in(0).shape, op.heads);
  const int threads = context.pool.size();
  const std::int64_t parts = head_parts(shapes, threads);

  host::WorkspaceCarver carver(context.workspace);
  auto* sink = carver.take<float>(static_cast<std::size_t>(shapes.heads));
  auto* scratch = carver.take<std::byte>(0);
  widen(io.weight(4), 0, shapes.heads, sink);

  // Dealt out in turn: rows early in a sequence and padding rows have less to do than others.
  context.pool.run([&](int member) {
    const Scratch own(scratch + static_cast<std::size_t>(member) * Scratch::bytes(shapes), shapes);
    for (std::int64_t item = member; item < shapes.rows * parts; item += threads)
      attend(isa, op, io, shapes, sink, item / parts,
             split_range(shapes.heads, static_cast<int>(item % parts), static_cast<int>(parts)),
             own);
  });
}

}  // namespace deepinfer::cpu
