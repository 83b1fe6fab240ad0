// Model specification 2.4.

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {
namespace {

/// x divided by its sums along `axis` (of three) and eps.
Val normalise_axis(ModuleWriter& w, const Val& x, std::size_t axis, double eps) {
  const Val sum = w.add(w.reduce("add", x, axis), eps);
  const std::int64_t kept = axis == 1 ? 2 : 1;
  return w.div(x, w.broadcast(sum, x.dims, {0, kept}));
}

/// Step 5 on f32 [rows, n, n].
Val sinkhorn(ModuleWriter& w, const Val& mixes, int iterations, double eps) {
  const Val largest = w.reduce("maximum", mixes, 2);
  const Val exponents =
      w.unary("exponential", w.sub(mixes, w.broadcast(largest, mixes.dims, {0, 1})));
  const Val sum = w.reduce("add", exponents, 2);
  const Val softmax = w.add(w.div(exponents, w.broadcast(sum, mixes.dims, {0, 1})), eps);
  const std::vector<Val> first = {normalise_axis(w, softmax, 1, eps)};
  if (iterations <= 1) return first[0];
  return w.loop(iterations - 1, first, [&](const Val&, const std::vector<Val>& comb) {
    return std::vector<Val>{normalise_axis(w, normalise_axis(w, comb[0], 2, eps), 1, eps)};
  })[0];
}

}  // namespace

void lower(const HcMix& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& streams = io.in(0);
  const std::int64_t rows = streams.dim(0);
  const std::int64_t n = streams.dim(1);
  const std::int64_t width = n * streams.dim(2);
  const Val x = w.reshape(streams, {rows, width});
  const Val square = w.div(w.reduce("add", w.mul(x, x), 1), static_cast<double>(width));
  const Val factor = w.unary("rsqrt", w.add(square, double{op.eps}));
  const Val products = product(w, io.types, x, io.weight(1));
  const Val mixes = w.mul(products, w.broadcast(factor, products.dims, {0}));

  const Val scale = widen(w, io.weight(2).codes);
  const Val base = widen(w, io.weight(3).codes);
  // Mixes [begin, end) times their part's scale, plus their bases.
  const auto part = [&](std::size_t number, std::int64_t begin, std::int64_t end) {
    const Val own = w.slice_axis(mixes, 1, begin, end);
    const auto at = static_cast<std::int64_t>(number);
    const Val factor_of_part = w.reshape(w.slice_axis(scale, 0, at, at + 1), {});
    const Val bias = w.broadcast(w.slice_axis(base, 0, begin, end), own.dims, {1});
    return w.add(w.mul(own, factor_of_part), bias);
  };
  io.out(0, w.add(w.unary("logistic", part(0, 0, n)), double{op.hc_eps}));
  io.out(1, w.mul(w.unary("logistic", part(1, n, 2 * n)), 2.0));
  const Val comb = w.reshape(part(2, 2 * n, (2 + n) * n), {rows, n, n});
  io.out(2, sinkhorn(w, comb, op.sinkhorn_iters, op.hc_eps));
}

}  // namespace deepinfer::pjrt
