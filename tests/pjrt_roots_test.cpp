// Fault E4: a step updates the roots where they lie. A program that copied one would need memory
// for it, and time: both are compared for small and for large roots, all else equal.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "graph/passes.h"
#include "model/step_graph.h"
#include "tests/support/graph_run.h"
#include "tests/support/pjrt_plugin.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class PjrtRoots : public testing::TestWithParam<GraphMode> {
 protected:
  struct Measured {
    std::int64_t root_bytes = 0;
    std::int64_t temporary_bytes = 0;
    double step_ms = 0;
    std::vector<float> logits;
  };

  /// One-row steps of t41 over roots of so many blocks and slots.
  Measured measure(std::int64_t blocks, int slots) const {
    Options options = test_options("pjrt");
    options.pjrt_plugin = kPjrtPlugin;
    options.graph_mode = GetParam();
    const Model model = open_model(test_model("t41"), EngramMode::memory);
    const CacheGeometry geometry = {.block_tokens = 16,
                                    .blocks = blocks,
                                    .slots = slots,
                                    .max_step_rows = 1,
                                    .layout = Layout::block_major};
    Graph graph = build_step_graph(
        model.config(), CacheLayout(model.config(), geometry),
        {.rows = 1, .numerics = Numerics::official, .max_context = 64, .trace = false});
    GraphRun run(model, geometry, graph_for(GetParam(), graph), make_backend(options), GetParam());
    const std::vector<std::int32_t> tokens = random_tokens(3, 12);
    Measured measured = {.root_bytes = run.root_bytes(),
                         .temporary_bytes = static_cast<std::int64_t>(run.info().arena_bytes),
                         .step_ms = 1e9,
                         .logits = {}};
    for (std::size_t rows = 1; rows <= tokens.size(); ++rows) {
      const auto start = std::chrono::steady_clock::now();
      measured.logits = run.step({tokens.data(), rows}, static_cast<std::int64_t>(rows) - 1);
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - start;
      // The first brings the roots to the device.
      if (rows > 1) measured.step_ms = std::min(measured.step_ms, taken.count());
    }
    return measured;
  }
};

TEST_P(PjrtRoots, E4_neither_memory_nor_time_of_a_step_grows_with_the_roots) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  const Measured small = measure(5, 2);
  const Measured large = measure(20'001, 2'001);
  const std::int64_t grown = large.root_bytes - small.root_bytes;
  ASSERT_GT(grown, std::int64_t{64} << 20);
  EXPECT_LT(large.temporary_bytes - small.temporary_bytes, grown / 100)
      << "roots of " << large.root_bytes << " bytes";
  // A copy of them would take tens of milliseconds.
  EXPECT_LT(large.step_ms, 2 * small.step_ms + 5);
  EXPECT_TRUE(same_bits(small.logits, large.logits));
}

INSTANTIATE_TEST_SUITE_P(Modes, PjrtRoots, testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace deepinfer
