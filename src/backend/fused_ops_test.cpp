// Ops joined by the pass `fuse` against the single ops they were made of: the same bytes on every
// backend, for every number of threads, over one row and many.

#include <gtest/gtest.h>

#include "backend/op_fixture_test.h"
#include "backend/test_backends_test.h"
#include "graph/fuse.h"
#include "graph/printer.h"

namespace deepinfer {
namespace {

using Build = std::vector<ValueId> (*)(OpFixture& fixture, GraphBuilder& graph, std::int64_t rows);

struct Pattern {
  const char* fused;  ///< name of the op it becomes
  Build build;        ///< returns what the graph outputs
};

std::vector<std::int32_t> some_positions(std::int64_t rows) {
  std::vector<std::int32_t> positions;
  for (std::int64_t row = 0; row < rows; ++row)
    positions.push_back(row % 5 == 3 ? -1 : static_cast<std::int32_t>(row * row * 7));
  return positions;
}

std::vector<ValueId> collapse_norm(OpFixture& f, GraphBuilder& graph, std::int64_t rows) {
  constexpr std::int64_t kWidth = 1280;
  const ValueId streams = f.declare(graph, f.activation("streams", {rows, 4, kWidth}));
  const ValueId pre = f.declare(graph, f.activation("pre", {rows, 4}));
  const ValueId weight = f.declare(graph, f.weight("w", WeightFormat::plain, {kWidth}));
  std::vector<ValueId> results;
  for (const Rounding rounding : {Rounding::none, Rounding::bf16}) {
    const ValueId u = graph.add(HcCollapse{.rounding = rounding}, {streams, pre}, "u");
    results.push_back(
        graph.add(RmsNorm{.eps = 1e-6F, .rounding = rounding}, {u, weight}, "normed"));
  }
  return results;
}

std::vector<ValueId> norm_rope(OpFixture& f, GraphBuilder& graph, std::int64_t rows) {
  constexpr std::int64_t kWidth = 4 * 320;
  const ValueId x = f.declare(graph, f.activation("x", {rows, kWidth}));
  const ValueId at = f.declare(graph, f.integers("positions", {rows}, some_positions(rows)));
  const ValueId weight = f.declare(graph, f.weight("w", WeightFormat::plain, {kWidth}));
  std::vector<float> frequencies;
  frequencies.reserve(20);
  for (int i = 0; i < 20; ++i) frequencies.push_back(1.0F / static_cast<float>(1 + i * i));
  const Frequencies shared = std::make_shared<const std::vector<float>>(std::move(frequencies));
  std::vector<ValueId> results;
  for (const Rounding rounding : {Rounding::none, Rounding::bf16})
    for (const bool inverse : {false, true}) {
      const ValueId copy = graph.add(Scale{.factor = 0.5F}, {x}, "copy");  // taken over in place
      const ValueId normed =
          graph.add(RmsNorm{.eps = 1e-6F, .rounding = rounding}, {copy, weight}, "normed");
      results.push_back(graph.add(Rope{.head_dim = 320,
                                       .frequencies = shared,
                                       .position_step = 2,
                                       .inverse = inverse,
                                       .rounding = rounding},
                                  {normed, at}, "turned"));
    }
  return results;
}

std::vector<ValueId> linears(OpFixture& f, GraphBuilder& graph, std::int64_t rows) {
  // 2, 3 and 4 weights, whose ends are no ends of grains, of formats that read x differently.
  constexpr std::int64_t kWidth = 96;
  std::vector<ValueId> results;
  int group = 0;
  for (const WeightFormat format : {WeightFormat::plain, WeightFormat::fp8, WeightFormat::fp4}) {
    const std::string name = "g" + std::to_string(group);
    const ValueId x = f.declare(graph, f.activation(name + ".x", {rows, kWidth}));
    const Linear op{.quantise_input = format != WeightFormat::plain,
                    .rounding = format == WeightFormat::fp4 ? Rounding::none : Rounding::bf16};
    for (int k = 0; k < 2 + group; ++k) {
      const std::string weight = name + ".w" + std::to_string(k);
      const std::int64_t outputs = 1 + 37 * k + 24 * group;
      results.push_back(graph.add(
          op, {x, f.declare(graph, f.weight(weight, format, {outputs, kWidth}))}, weight + ".y"));
    }
    ++group;
  }
  return results;
}

using Case = std::tuple<std::string, Pattern>;

class FusedOps : public testing::TestWithParam<Case> {
 protected:
  static std::vector<std::byte> run(const Graph& graph, OpFixture& fixture, int threads) {
    fixture.reset_memory();
    const auto backend = backend_named(std::get<0>(GetParam()), threads);
    const auto executable =
        backend->compile(std::make_shared<const Graph>(graph), fixture, GraphMode::whole);
    executable->run();
    std::vector<std::byte> bytes;
    for (const GraphOutput& output : graph.outputs) {
      const TensorRef ref = executable->output(output.name);
      bytes.insert(bytes.end(), ref.data, ref.data + graph.value(output.value).bytes());
    }
    return bytes;
  }
};

TEST_P(FusedOps, GiveTheBytesOfTheSingleOps) {
  const auto& [backend, pattern] = GetParam();
  for (const std::int64_t rows : {1, 2, 31}) {
    OpFixture fixture;
    GraphBuilder builder(static_cast<int>(rows));
    const std::vector<ValueId> results = pattern.build(fixture, builder, rows);
    for (std::size_t i = 0; i < results.size(); ++i)
      builder.output("r" + std::to_string(i), results[i]);
    const Graph single = builder.finish();
    const Graph fused = fuse(single);
    ASSERT_NE(to_text(fused).find(std::string(" = ") + pattern.fused + "("), std::string::npos);
    ASSERT_LT(fused.nodes.size(), single.nodes.size());
    const std::vector<std::byte> expected = run(single, fixture, 1);
    for (const int threads : {1, 2, 3})
      EXPECT_TRUE(run(fused, fixture, threads) == expected)
          << rows << " rows, " << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FusedOps,
    testing::Combine(testing::ValuesIn(backend_names()),
                     testing::Values(Pattern{"hc_collapse_norm", &collapse_norm},
                                     Pattern{"rms_norm_rope", &norm_rope},
                                     Pattern{"linear_group", &linears})),
    [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param).fused; });

}  // namespace
}  // namespace deepinfer
