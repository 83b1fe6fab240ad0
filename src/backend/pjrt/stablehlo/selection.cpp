#include "backend/pjrt/stablehlo/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "backend/pjrt/stablehlo/counting_selection.h"

namespace deepinfer::pjrt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Val top_k_ascending(ModuleWriter& w, const Val& scores, std::int64_t k) {
  const auto body = [&](std::span<const Val> operands) {
    if (w.types().selection == Selection::counting) return top_k_by_counting(w, operands[0], k);
    // A compiler's sort may put the zeros of either sign apart.
    const Val all = w.select(w.compare("EQ", operands[0], 0.0), w.f32(0), operands[0]);
    const std::int64_t entries = all.dim(1);
    const std::int64_t count = std::min(entries, k);
    const std::array<Val, 2> pairs = {all, w.iota(Element::i32, all.dims, 1)};
    const std::vector<Val> order = w.sort("GT", pairs);
    const Val best = w.slice_axis(order[0], 1, 0, count);
    const Val index = w.slice_axis(order[1], 1, 0, count);
    // Places without an entry sort behind all entries.
    const Val kept = w.select(w.compare("EQ", best, -kInfinity), w.i32(entries, index.dims), index);
    const Val ascending = w.sort("LT", std::array<Val, 1>{kept})[0];
    const Val marked =
        w.select(w.compare("EQ", ascending, static_cast<double>(entries)), w.i32(-1), ascending);
    return w.pad_axis(marked, 1, k, w.i32(-1));
  };
  return w.call(fmt::format("top_{}", k), std::array<Val, 1>{scores}, body);
}

Val block_scores(ModuleWriter& w, const Val& scores, const Val& visible, std::int64_t block) {
  const std::int64_t n = scores.dim(0);
  const std::int64_t blocks = (scores.dim(1) + block - 1) / block;
  const Val whole = w.pad_axis(scores, 1, blocks * block, w.f32(-kInfinity));
  const Val best = w.reduce("maximum", w.reshape(whole, {n, blocks, block}), 2);
  // A row that sees nothing has no newest block: -1 / block is 0, so it is told apart by itself.
  const Val newest = w.binary("divide", w.sub(visible, 1.0), static_cast<double>(block));
  const Val is_newest =
      w.compare("EQ", w.iota(Element::i32, best.dims, 1), w.broadcast(newest, best.dims, {0}));
  const Val sees = w.broadcast(w.compare("GT", visible, 0.0), best.dims, {0});
  return w.select(w.both(is_newest, sees), w.f32(kInfinity), best);
}

Val in_candidates(ModuleWriter& w, const Val& candidates, std::int64_t entries,
                  std::int64_t block) {
  const std::int64_t n = candidates.dim(0);
  const std::int64_t blocks = (entries + block - 1) / block;
  const Dims dims = {n, candidates.dim(1), blocks};
  const Val same =
      w.compare("EQ", w.broadcast(candidates, dims, {0, 1}), w.iota(Element::i32, dims, 2));
  const Val any = w.reduce("or", same, 1);
  const Val each = w.reshape(w.broadcast(any, {n, blocks, block}, {0, 1}), {n, blocks * block});
  return w.slice_axis(each, 1, 0, entries);
}

}  // namespace deepinfer::pjrt
