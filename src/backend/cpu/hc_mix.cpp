#include <algorithm>
#include <cmath>

#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// Mixers whose weights are widened at once where they are not fp32 already.
constexpr std::int64_t kMixerTile = 4;

struct Shapes {
  std::int64_t rows;
  std::int64_t streams;
  std::int64_t width;   ///< of a row: all streams
  std::int64_t mixers;  ///< rows of fn
};

Shapes shapes_of(const Shape& streams) {
  return {.rows = streams[0],
          .streams = streams[1],
          .width = streams[1] * streams[2],
          .mixers = (2 + streams[1]) * streams[1]};
}

/// Workspace of one thread: widened mixers.
std::size_t widened_bytes(const Shapes& shapes) {
  return host::WorkspaceCarver::bytes_for<float>(
      static_cast<std::size_t>(kMixerTile * shapes.width));
}

/// The row and column steps of model specification 2.4, step 5, over comb[a][b].
class Sinkhorn {
 public:
  Sinkhorn(double* comb, std::int64_t size, double eps) : comb_(comb), size_(size), eps_(eps) {}

  void run(int iterations) {
    row_softmax();
    normalise_columns();
    for (int i = 1; i < iterations; ++i) {
      normalise_rows();
      normalise_columns();
    }
  }

 private:
  double& at(std::int64_t a, std::int64_t b) { return comb_[a * size_ + b]; }

  void row_softmax() {
    for (std::int64_t a = 0; a < size_; ++a) {
      double highest = at(a, 0);
      for (std::int64_t b = 1; b < size_; ++b) highest = std::max(highest, at(a, b));
      double sum = 0;
      for (std::int64_t b = 0; b < size_; ++b) sum += at(a, b) = std::exp(at(a, b) - highest);
      for (std::int64_t b = 0; b < size_; ++b) at(a, b) = at(a, b) / sum + eps_;
    }
  }
  void normalise_rows() {
    for (std::int64_t a = 0; a < size_; ++a) {
      double sum = eps_;
      for (std::int64_t b = 0; b < size_; ++b) sum += at(a, b);
      for (std::int64_t b = 0; b < size_; ++b) at(a, b) /= sum;
    }
  }
  void normalise_columns() {
    for (std::int64_t b = 0; b < size_; ++b) {
      double sum = eps_;
      for (std::int64_t a = 0; a < size_; ++a) sum += at(a, b);
      for (std::int64_t a = 0; a < size_; ++a) at(a, b) /= sum;
    }
  }

  double* comb_;
  std::int64_t size_;
  double eps_;
};

/// Whether the weight lies as the dot products read it: fp32 at a float's alignment.
bool readable_in_place(const WeightRef& fn) {
  return fn.dtype == DType::f32 && reinterpret_cast<std::uintptr_t>(fn.data) % alignof(float) == 0;
}

/// The products of rows [row, row + rows) with mixers [begin, end).
void mix_products(const RowFunctions& isa, const TensorRef& streams, const WeightRef& fn,
                  const Shapes& shapes, Range rows, Range mixers, float* widened, float* products) {
  for (std::int64_t first = mixers.begin; first < mixers.end; first += kMixerTile) {
    const std::int64_t count = std::min(kMixerTile, mixers.end - first);
    const auto* weights = reinterpret_cast<const float*>(fn.bytes()) + first * shapes.width;
    if (!readable_in_place(fn)) {
      widen(fn, first * shapes.width, count * shapes.width, widened);
      weights = widened;
    }
    isa.dots(streams.row<float>(rows.begin), rows.end - rows.begin, shapes.width, weights, count,
             shapes.width, shapes.width, products + rows.begin * shapes.mixers + first,
             shapes.mixers);
  }
}

/// What `scale` and `base` make of one row's products. `comb` is scratch.
struct Mixes {
  const HcMix& op;
  const float* scale;
  const float* base;
  std::int64_t streams;

  void write(const float* products, double inverse_rms, double* comb_scratch, float* pre,
             float* post, float* comb) const {
    const auto mixed = [&](std::int64_t index, int group) {
      return products[index] * inverse_rms * scale[group] + base[index];
    };
    for (std::int64_t s = 0; s < streams; ++s) {
      pre[s] = static_cast<float>(sigmoid(mixed(s, 0)) + op.hc_eps);
      post[s] = static_cast<float>(2 * sigmoid(mixed(streams + s, 1)));
    }
    for (std::int64_t i = 0; i < streams * streams; ++i)
      comb_scratch[i] = mixed(2 * streams + i, 2);
    Sinkhorn(comb_scratch, streams, op.hc_eps).run(op.sinkhorn_iters);
    for (std::int64_t i = 0; i < streams * streams; ++i)
      comb[i] = static_cast<float>(comb_scratch[i]);
  }
};

}  // namespace

std::size_t hc_mix_workspace(const Graph& graph, const Node& node, int threads) {
  using Carver = host::WorkspaceCarver;
  const Shapes shapes = shapes_of(graph.value(node.operands[0]).shape);
  const auto members = static_cast<std::size_t>(threads);
  return Carver::bytes_for<float>(3) +
         Carver::bytes_for<float>(static_cast<std::size_t>(shapes.mixers)) +
         Carver::bytes_for<float>(static_cast<std::size_t>(shapes.rows * shapes.mixers)) +
         Carver::bytes_for<double>(static_cast<std::size_t>(shapes.mixers)) * members +
         widened_bytes(shapes) * members;
}

void hc_mix(const RowFunctions& isa, const HcMix& op, const Operands& io, KernelContext& context) {
  const TensorRef& streams = io.in(0);
  const WeightRef& fn = io.weight(1);
  const Shapes shapes = shapes_of(streams.shape);
  const int threads = context.pool.size();

  host::WorkspaceCarver carver(context.workspace);
  auto* scale = carver.take<float>(3);
  auto* base = carver.take<float>(static_cast<std::size_t>(shapes.mixers));
  auto* products = carver.take<float>(static_cast<std::size_t>(shapes.rows * shapes.mixers));
  auto* scratch = carver.take<std::byte>(0);
  const std::size_t comb_bytes =
      host::WorkspaceCarver::bytes_for<double>(static_cast<std::size_t>(shapes.mixers));
  const std::size_t member_bytes = comb_bytes + widened_bytes(shapes);
  widen(io.weight(2), 0, 3, scale);
  widen(io.weight(3), 0, shapes.mixers, base);

  // Many rows: each thread has some. Few rows: each thread has some mixers of all.
  const bool by_rows = shapes.rows >= 4 * threads;
  context.pool.run([&](int member) {
    auto* widened = reinterpret_cast<float*>(
        scratch + static_cast<std::size_t>(member) * member_bytes + comb_bytes);
    const Range all_rows{0, shapes.rows};
    const Range all_mixers{0, shapes.mixers};
    if (by_rows)
      mix_products(isa, streams, fn, shapes, split_range(shapes.rows, member, threads), all_mixers,
                   widened, products);
    else
      mix_products(isa, streams, fn, shapes, all_rows, split_range(shapes.mixers, member, threads),
                   widened, products);
  });

  const Mixes mixes{.op = op, .scale = scale, .base = base, .streams = shapes.streams};
  split_items(
      context, shapes.rows, shapes.width, [&](std::int64_t begin, std::int64_t end, int member) {
        auto* comb =
            reinterpret_cast<double*>(scratch + static_cast<std::size_t>(member) * member_bytes);
        for (std::int64_t row = begin; row < end; ++row) {
          float square = 0;
          const float* x = streams.row<float>(row);
          isa.dots(x, 1, shapes.width, x, 1, shapes.width, shapes.width, &square, 1);
          const double rms =
              std::sqrt(static_cast<double>(square) / static_cast<double>(shapes.width) +
                        static_cast<double>(op.eps));
          mixes.write(products + row * shapes.mixers, 1 / rms, comb, io.out(0).row<float>(row),
                      io.out(1).row<float>(row), io.out(2).row<float>(row));
        }
      });
}

}  // namespace deepinfer::cpu
