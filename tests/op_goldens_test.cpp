// The dense ops against the op-level goldens, on every backend of the machine.

#include <gtest/gtest.h>

#include <cmath>

#include "core/numeric_formats.h"
#include "tests/support/op_golden_suite.h"

namespace deepinfer {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// [n, n] row-major.
std::vector<float> identity(std::int64_t n) {
  std::vector<float> values(to_size(n * n));
  for (std::int64_t i = 0; i < n; ++i) values[to_size(i * n + i)] = 1;
  return values;
}

/// [rows, columns] to [columns, rows].
std::vector<float> transposed(const std::vector<float>& values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  std::vector<float> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i % columns * rows + i / columns] = values[i];
  return result;
}

class OpGoldens : public OpGoldenSuite {
 protected:
  Given coded(const std::string& key, WeightFormat format, const Shape& shape) {
    return fixture.coded_weight(key, format, shape, goldens().u8(key + ".weight"),
                                goldens().u8(key + ".scale"));
  }

  /// Values of a given weight as the backend's linear sees them: the weight times identity rows.
  std::vector<float> through_linear(Given weight, std::int64_t out, std::int64_t in) {
    const Given x = fixture.activation("identity" + std::to_string(out), {in, in}, identity(in));
    return transposed(fixture.run(backend(), Linear{}, {x, weight}).f32(), to_size(out));
  }

  void run_hc(const std::string& key, int iters, float hc_eps, float eps) {
    const Given x = activation(key + ".X");
    const OpRun mix = fixture.run(
        backend(), HcMix{.sinkhorn_iters = iters, .hc_eps = hc_eps, .eps = eps},
        {x, plain_weight(key + ".fn"), plain_weight(key + ".scale"), plain_weight(key + ".base")});
    expect_golden(mix.f32(0), key + ".pre");
    expect_golden(mix.f32(1), key + ".post");
    expect_golden(mix.f32(2), key + ".comb");
    expect_golden(fixture.run(backend(), HcCollapse{}, {x, activation(key + ".pre_in")}).f32(),
                  key + ".collapse");
    const std::vector<Given> expand = {activation(key + ".y"), x, activation(key + ".post"),
                                       activation(key + ".comb")};
    expect_golden(fixture.run(backend(), HcExpand{}, expand).f32(), key + ".expand");
    expect_golden(fixture.run_in_place(backend(), HcExpand{}, expand).f32(), key + ".expand");
  }

  void run_rope(const std::string& key) {
    const std::vector<std::int64_t> wide = goldens().i64("rope.positions");
    const auto rows = static_cast<std::int64_t>(wide.size());
    const Given positions = fixture.integers("positions", {rows}, {wide.begin(), wide.end()});
    const auto frequencies =
        std::make_shared<const std::vector<float>>(golden("rope." + key + ".freqs"));
    const auto pairs = static_cast<std::int64_t>(frequencies->size());

    // (1, 0) turns into (cos, sin).
    std::vector<float> ones(to_size(rows * 2 * pairs));
    for (std::size_t i = 0; i < ones.size(); i += 2) ones[i] = 1;
    const Rope unit{.head_dim = static_cast<int>(2 * pairs), .frequencies = frequencies};
    const std::vector<float> turned =
        fixture
            .run(backend(), unit, {fixture.activation("ones", {rows, 2 * pairs}, ones), positions})
            .f32();
    std::vector<float> cosines;
    std::vector<float> sines;
    for (std::size_t i = 0; i < turned.size(); i += 2) {
      cosines.push_back(turned[i]);
      sines.push_back(turned[i + 1]);
    }
    expect_golden(cosines, "rope." + key + ".cos");
    expect_golden(sines, "rope." + key + ".sin");
    if (pairs != 32) return;  // the rotations are given for the released width only

    const Given x = activation("rope.x", {rows, 2 * 96});
    Rope op{.head_dim = 96, .frequencies = frequencies};
    expect_golden(fixture.run(backend(), op, {x, positions}).f32(),
                  "rope." + key + ".rotated_fp32");
    expect_golden(fixture.run_in_place(backend(), op, {x, positions}).f32(),
                  "rope." + key + ".rotated_fp32");
    op.inverse = true;
    expect_golden(fixture
                      .run(backend(), op,
                           {activation("rope." + key + ".rotated_fp32", {rows, 2 * 96}), positions})
                      .f32(),
                  "rope.x");
    expect_golden(fixture.run(backend(), op, {x, positions}).f32(),
                  "rope." + key + ".inverse_fp32");
    op = {.head_dim = 96, .frequencies = frequencies, .rounding = Rounding::bf16};
    std::vector<float> rounded = golden("rope.x");
    for (float& value : rounded) value = round_bf16(value);
    expect_golden(
        fixture
            .run(backend(), op, {fixture.activation("rounded", {rows, 2 * 96}, rounded), positions})
            .f32(),
        "rope." + key + ".rotated_official");
  }

  /// Experts whose g and u for row t are the goldens' rows: one-hot inputs pick weight columns.
  std::vector<float> run_swiglu(float limit, bool shared) {
    const std::string tag = std::to_string(limit) + (shared ? "s" : "r");
    const std::int64_t rows = goldens().shape("swiglu.g")[0];
    const std::int64_t width = goldens().shape("swiglu.g")[1];
    std::vector<float> g(to_size(width * width));
    std::vector<float> u(to_size(width * width));
    std::vector<float> x(to_size(rows * width));
    for (std::int64_t t = 0; t < rows; ++t) {
      x[to_size(t * width + t)] = 1;
      for (std::int64_t i = 0; i < width; ++i) {
        g[to_size(i * width + t)] = golden("swiglu.g")[to_size(t * width + i)];
        u[to_size(i * width + t)] = golden("swiglu.u")[to_size(t * width + i)];
      }
    }
    const std::vector<float> on = identity(width);
    const std::vector<float> off(to_size(width * width));
    const Shape bank = {1, width, width};
    const Shape one = {width, width};
    const std::vector<std::int32_t> zeros(to_size(rows));
    return fixture
        .run(backend(), Moe{.swiglu_limit = limit},
             {fixture.activation("x" + tag, {rows, width}, x),
              fixture.integers("experts" + tag, {rows, 1}, zeros),
              fixture.activation("weights" + tag, {rows, 1}, golden("swiglu.wt")),
              fixture.integers("positions" + tag, {rows}, zeros),
              fixture.plain_weight("w1" + tag, bank, g), fixture.plain_weight("w3" + tag, bank, u),
              fixture.plain_weight("w2" + tag, bank, shared ? off : on),
              fixture.plain_weight("s1" + tag, one, g), fixture.plain_weight("s3" + tag, one, u),
              fixture.plain_weight("s2" + tag, one, shared ? on : off)})
        .f32();
  }
};

TEST_P(OpGoldens, DequantisedWeights) {
  EXPECT_EQ(through_linear(coded("dequant.fp8", WeightFormat::fp8, {80, 96}), 80, 96),
            golden("dequant.fp8.out"));
  EXPECT_EQ(through_linear(coded("dequant.fp4", WeightFormat::fp4, {6, 96}), 6, 96),
            golden("dequant.fp4.out"));
}

TEST_P(OpGoldens, EngramRows) {
  const std::vector<std::uint8_t> codes = goldens().u8("dequant.engram.weight");
  const std::vector<std::uint8_t> scales = goldens().u8("dequant.engram.scale");
  std::vector<std::uint8_t> packed;
  for (std::ptrdiff_t row = 0; row < 5; ++row) {
    packed.insert(packed.end(), codes.begin() + row * 256, codes.begin() + (row + 1) * 256);
    packed.insert(packed.end(), scales.begin() + row * 8, scales.begin() + (row + 1) * 8);
  }
  const Given rows = fixture.bytes("rows", {1, 5, 264}, packed);
  EXPECT_EQ(fixture.run(backend(), EngramLookup{.head_dim = 256}, {rows}).f32(),
            golden("dequant.engram.out"));
}

TEST_P(OpGoldens, LinearInBothNumerics) {
  const Given fp8 = coded("dequant.fp8", WeightFormat::fp8, {80, 96});
  const Given fp4 = coded("dequant.fp4", WeightFormat::fp4, {6, 96});
  const Given x = activation("linear.x");
  expect_golden(fixture.run(backend(), Linear{}, {x, fp8}).f32(), "linear.fp8.y_fp32");
  expect_golden(fixture.run(backend(), Linear{}, {x, fp4}).f32(), "linear.fp4.y_fp32");
  const Linear official{.quantise_input = true, .rounding = Rounding::bf16};
  const Given x_bf16 = activation("linear.x_bf16");
  expect_golden(fixture.run(backend(), official, {x_bf16, fp8}).f32(), "linear.fp8.y_official");
  expect_golden(fixture.run(backend(), official, {x_bf16, fp4}).f32(), "linear.fp4.y_official");
}

TEST_P(OpGoldens, RmsNorm) {
  const Given x = activation("rmsnorm.x");
  const Given w = plain_weight("rmsnorm.w");
  expect_golden(fixture.run(backend(), RmsNorm{.eps = 1e-20F}, {x, w}).f32(),
                "rmsnorm.eps1e-20.fp32");
  expect_golden(fixture.run_in_place(backend(), RmsNorm{.eps = 1e-6F}, {x, w}).f32(),
                "rmsnorm.eps1e-6.fp32");
  std::vector<float> rounded = golden("rmsnorm.x");
  for (float& value : rounded) value = round_bf16(value);
  const Given x_bf16 = fixture.activation("rounded", goldens().shape("rmsnorm.x"), rounded);
  for (const auto& [eps, key] : {std::pair{1e-20F, "rmsnorm.eps1e-20.official"},
                                 std::pair{1e-6F, "rmsnorm.eps1e-6.official"}})
    expect_golden(
        fixture.run(backend(), RmsNorm{.eps = eps, .rounding = Rounding::bf16}, {x_bf16, w}).f32(),
        key);
}

TEST_P(OpGoldens, RopeMain) { run_rope("main"); }
TEST_P(OpGoldens, RopeCompress) { run_rope("compress"); }
TEST_P(OpGoldens, RopeTinyMain) { run_rope("t41_main"); }
TEST_P(OpGoldens, RopeTinyCompress) { run_rope("t41_compress"); }
TEST_P(OpGoldens, RopeOddCompress) { run_rope("odd_compress"); }

TEST_P(OpGoldens, HyperConnectionOfFourStreams) { run_hc("hc4", 20, 1e-6F, 1e-20F); }
TEST_P(OpGoldens, HyperConnectionOfTwoStreams) { run_hc("hc2", 7, 1e-5F, 1e-6F); }

TEST_P(OpGoldens, B16_sinkhorn_from_given_mixes_that_are_not_symmetric) {
  // hc_mix makes the given mixes itself: its projection picks the first 24 channels, and one more
  // channel brings the mean square to 1.
  constexpr std::int64_t kWidth = 1024;
  const std::vector<float> m = golden("sinkhorn.m");
  const std::int64_t rows = goldens().shape("sinkhorn.m")[0];
  std::vector<float> x(to_size(rows * 4 * kWidth));
  for (std::int64_t t = 0; t < rows; ++t) {
    double rest = 4 * kWidth;
    for (std::int64_t j = 0; j < 24; ++j) {
      const float value = m[to_size(t * 24 + j)];
      x[to_size(t * 4 * kWidth + j)] = value;
      rest -= static_cast<double>(value) * value;
    }
    ASSERT_GT(rest, 0);
    x[to_size(t * 4 * kWidth + 24)] = static_cast<float>(std::sqrt(rest));
  }
  std::vector<float> fn(to_size(24 * 4 * kWidth));
  for (std::int64_t j = 0; j < 24; ++j) fn[to_size(j * 4 * kWidth + j)] = 1;
  const OpRun run =
      fixture.run(backend(), HcMix{.sinkhorn_iters = 20, .hc_eps = 1e-6F, .eps = 1e-20F},
                  {fixture.activation("x", {rows, 4, kWidth}, x),
                   fixture.plain_weight("fn", {24, 4 * kWidth}, fn), plain_weight("sinkhorn.scale"),
                   plain_weight("sinkhorn.base")});
  expect_golden(run.f32(0), "sinkhorn.pre");
  expect_golden(run.f32(1), "sinkhorn.post");
  expect_golden(run.f32(2), "sinkhorn.comb");
}

TEST_P(OpGoldens, RouterWithTies) {
  const Given logits = activation("router.logits");
  const Given biases[] = {plain_weight("router.bias"),
                          fixture.plain_weight("zero", {16}, std::vector<float>(16))};
  for (const auto& [scoring, name] :
       {std::pair{ScoringFunc::sqrtsoftplus, "sqrtsoftplus"},
        std::pair{ScoringFunc::sigmoid, "sigmoid"}, std::pair{ScoringFunc::softmax, "softmax"}}) {
    for (const bool zero : {false, true}) {
      const std::string key = std::string("router.") + name + (zero ? ".zero" : ".bias");
      const Router op{.experts_per_token = 6, .scoring = scoring, .route_scale = 1.5F};
      const OpRun run = fixture.run(backend(), op, {logits, biases[zero ? 1 : 0]});
      EXPECT_EQ(run.i32(0), goldens().i32(key + ".idx")) << key;
      expect_golden(run.f32(1), key + ".weights");
    }
  }
}

TEST_P(OpGoldens, SwigluClampsAndRoutingWeight) {
  for (const auto& [limit, key] :
       {std::pair{2.5F, "swiglu.limit2.5"}, std::pair{10.0F, "swiglu.limit10"},
        std::pair{0.0F, "swiglu.limit0"}}) {
    expect_golden(run_swiglu(limit, false), std::string(key) + ".routed");
    expect_golden(run_swiglu(limit, true), std::string(key) + ".shared");
  }
}

TEST_P(OpGoldens, EngramGate) {
  const std::vector<float> key = golden("engram.gate.key");
  const std::vector<float> value = golden("engram.gate.value");
  std::vector<float> kv;
  for (std::ptrdiff_t t = 0; t < 5; ++t) {
    kv.insert(kv.end(), key.begin() + t * 384, key.begin() + (t + 1) * 384);
    kv.insert(kv.end(), value.begin() + t * 96, value.begin() + (t + 1) * 96);
  }
  const std::vector<Given> operands = {
      activation("engram.gate.X"), fixture.activation("kv", {5, 5 * 96}, kv),
      plain_weight("engram.gate.q_weight"), plain_weight("engram.gate.k_weight")};
  const EngramGate op{.eps = 1e-20F};
  for (const OpRun& run :
       {fixture.run(backend(), op, operands), fixture.run_in_place(backend(), op, operands)}) {
    expect_golden(run.f32(0), "engram.gate.out_fp32");
    expect_golden(run.f32(1), "engram.gate.gate");
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, OpGoldens, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
