#include "backend/pjrt/stablehlo/counting_selection.h"

#include <algorithm>
#include <array>
#include <limits>

namespace deepinfer::pjrt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBlock = 128;  // entries counted by one product with a triangle of ones
constexpr std::int64_t kKeyBits = 32;

Val as_number(ModuleWriter& w, const Val& flags) { return w.convert(flags, Element::f32); }

/// f32 [n] along the entries of `like` [n, m].
Val per_row(ModuleWriter& w, const Val& values, const Val& like) {
  return w.broadcast(values, like.dims, {0});
}

/// f32 numbers in the order of unsigned keys: the upper half are those from zero on. Keys below all
/// numbers are -infinity, too; above all there are NaN, which nothing reaches. By shifts alone:
/// large integers may be compared as floats.
Val number_of_key(ModuleWriter& w, const Val& keys) {
  constexpr int kMantissaBits = 23;
  const Val positive = w.compare("EQ", w.binary("shift_right_logical", keys, kKeyBits - 1), 1);
  const Val bits = w.select(positive, w.binary("and", keys, 0x7fffffff), w.unary("not", keys));
  const Val below = w.compare("EQ", w.binary("shift_right_logical", keys, kMantissaBits), 0.0);
  return w.select(below, w.f32(-kInfinity), w.bitcast(bits, Element::f32));
}

/// The largest number that at least k of the row's scores reach: f32 [n].
Val kth_largest(ModuleWriter& w, const Val& scores, std::int64_t k) {
  const Val top_bit = w.constant(Element::ui32, 2147483648.0);
  const std::array<Val, 1> none = {w.constant(Element::ui32, 0, {scores.dim(0)})};
  const Val key = w.loop(kKeyBits, none, [&](const Val& i, const std::vector<Val>& carried) {
    const Val bit = w.binary("shift_right_logical", top_bit, w.convert(i, Element::ui32));
    const Val with_bit = w.either(carried[0], bit);
    const Val reached = w.compare("GE", scores, per_row(w, number_of_key(w, with_bit), scores));
    const Val count = w.reduce("add", as_number(w, reached), 1);
    const Val enough = w.compare("GE", count, static_cast<double>(k));
    return std::vector<Val>{w.select(enough, with_bit, carried[0])};
  })[0];
  return number_of_key(w, key);
}

/// values [n, m] padded by `with` to whole blocks: [n, blocks, kBlock].
Val in_blocks(ModuleWriter& w, const Val& values, double with) {
  const std::int64_t blocks = (values.dim(1) + kBlock - 1) / kBlock;
  return w.reshape(w.pad_axis(values, 1, blocks * kBlock, w.f32(with)),
                   {values.dim(0), blocks, kBlock});
}

/// How many of the row's ones lie at an entry or before it: f32 [n, m].
Val running_count(ModuleWriter& w, const Val& ones) {
  const Dims square = {kBlock, kBlock};
  const Val triangle = as_number(
      w, w.compare("LE", w.iota(Element::i32, square, 0), w.iota(Element::i32, square, 1)));
  const std::int64_t m = ones.dim(1);
  const Val within = w.dot(in_blocks(w, ones, 0), triangle, {2}, {0});  // [n, blocks, kBlock]
  const std::int64_t blocks = within.dim(1);
  Val count = within;
  if (blocks > 1) {
    const Val totals =
        w.reshape(w.slice_axis(within, 2, kBlock - 1, kBlock), {ones.dim(0), blocks});
    const Val before = w.sub(running_count(w, totals), totals);
    count = w.add(within, w.broadcast(before, within.dims, {0, 1}));
  }
  return w.slice_axis(w.reshape(count, {ones.dim(0), blocks * kBlock}), 1, 0, m);
}

/// Number of the entry at which `count` [n, m] first exceeds j, for every j < k: i32 [n, k]. Any
/// number in range where it never does.
Val first_above(ModuleWriter& w, const Val& count, std::int64_t k) {
  const std::int64_t n = count.dim(0);
  const Val blocks = in_blocks(w, count, kInfinity);
  const std::int64_t many = blocks.dim(1);
  const auto not_above = [&](const Val& values) {  // of f32 [n, k, …], how many are at most j
    const Val wanted = w.iota(Element::f32, values.dims, 1);
    return w.convert(w.reduce("add", as_number(w, w.compare("LE", values, wanted)), 2),
                     Element::i32);
  };
  const Val ends = w.reshape(w.slice_axis(blocks, 2, kBlock - 1, kBlock), {n, many});
  const Val block =
      w.min(w.max(not_above(w.broadcast(ends, {n, k, many}, {0, 2})), 0.0), double(many - 1));
  const Val line = w.mul(w.iota(Element::i32, {n, k}, 0), double(many));
  const Val chosen = w.gather_rows(w.reshape(blocks, {n * many, kBlock}), w.add(line, block));
  return w.add(w.mul(block, double(kBlock)), not_above(chosen));
}

}  // namespace

Val top_k_by_counting(ModuleWriter& w, const Val& scores, std::int64_t k) {
  const std::int64_t count = std::min(scores.dim(1), k);
  const Val least = per_row(w, kth_largest(w, scores, count), scores);
  const Val above = as_number(w, w.compare("GT", scores, least));
  const Val level = as_number(w, w.compare("EQ", scores, least));
  // Of equal ones the first.
  const Val room =
      w.sub(w.f32(static_cast<double>(count), {scores.dim(0)}), w.reduce("add", above, 1));
  const Val fits = w.compare("LE", running_count(w, level), per_row(w, room, scores));
  const Val chosen =
      w.both(w.compare("GE", scores, least), w.either(w.compare("GT", scores, least), fits));
  const Val there = w.both(chosen, w.compare("GT", scores, -kInfinity));
  const Val number = running_count(w, as_number(w, there));
  const Val total = w.reduce("maximum", number, 1);

  const Val index = first_above(w, number, count);
  const Val filled = w.compare("LT", w.iota(Element::f32, index.dims, 1), per_row(w, total, index));
  return w.pad_axis(w.select(filled, index, w.i32(-1)), 1, k, w.i32(-1));
}

}  // namespace deepinfer::pjrt
