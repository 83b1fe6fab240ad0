// Fault E4: a step updates the roots where they lie. A program that copied one would need memory
// for it, and time: both are compared for small and for large roots, all else equal.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>

#include "graph/passes.h"
#include "model/step_graph.h"
#include "tests/support/graph_run.h"
#include "tests/support/pjrt_plugin.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

/// What copying so many bytes into new memory takes here and now.
double copy_ms(std::int64_t bytes) {
  const std::vector<std::byte> from(static_cast<std::size_t>(bytes), std::byte{1});
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::byte> to(from.begin(), from.end());
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(to.back(), from.back());
  return taken.count();
}

class PjrtRoots : public testing::TestWithParam<std::tuple<GraphMode, int>> {
 protected:
  struct Measured {
    std::int64_t root_bytes = 0;
    std::int64_t temporary_bytes = 0;
    double step_ms = 0;
    std::vector<float> logits;
  };

  GraphMode mode() const { return std::get<0>(GetParam()); }
  int rows() const { return std::get<1>(GetParam()); }

  /// Steps of t41 over roots of so many blocks and slots.
  Measured measure(std::int64_t blocks, int slots) const {
    Options options = test_options("pjrt");
    options.pjrt_plugin = kPjrtPlugin;
    options.graph_mode = mode();
    const Model model = open_model(test_model("t41"), EngramMode::memory);
    const CacheGeometry geometry = {.block_tokens = 16,
                                    .blocks = blocks,
                                    .slots = slots,
                                    .max_step_rows = rows(),
                                    .layout = Layout::block_major};
    Graph graph = build_step_graph(
        model.config(), CacheLayout(model.config(), geometry),
        {.rows = rows(), .numerics = Numerics::official, .max_context = 128, .trace = false});
    GraphRun run(model, geometry, graph_for(mode(), graph), make_backend(options), mode());
    const std::vector<std::int32_t> tokens = random_tokens(3, rows() == 1 ? 12 : 48);
    Measured measured = {.root_bytes = run.root_bytes(),
                         .temporary_bytes = static_cast<std::int64_t>(run.info().arena_bytes),
                         .step_ms = 1e9,
                         .logits = {}};
    const auto step = static_cast<std::size_t>(rows());
    for (std::size_t end = step; end <= tokens.size(); end += step) {
      const auto start = std::chrono::steady_clock::now();
      measured.logits = run.step({tokens.data(), end}, static_cast<std::int64_t>(end - step));
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - start;
      // The first brings the roots to the device.
      if (end > step) measured.step_ms = std::min(measured.step_ms, taken.count());
    }
    return measured;
  }
};

TEST_P(PjrtRoots, E4_neither_memory_nor_time_of_a_step_grows_with_the_roots) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  const Measured small = measure(9, 2);
  const Measured large = measure(60'001, 6'001);
  const std::int64_t grown = large.root_bytes - small.root_bytes;
  ASSERT_GT(grown, std::int64_t{64} << 20);
  EXPECT_LT(large.temporary_bytes - small.temporary_bytes, grown / 100)
      << large.temporary_bytes << " for roots of " << large.root_bytes;
  EXPECT_LT(large.step_ms - small.step_ms, copy_ms(grown));
  EXPECT_TRUE(same_bits(small.logits, large.logits));
}

// Programs of one op are the same in eager mode as parts of larger ones are; of more rows, those
// suffice.
INSTANTIATE_TEST_SUITE_P(Modes, PjrtRoots,
                         testing::Values(std::tuple(GraphMode::whole, 1),
                                         std::tuple(GraphMode::regions, 1),
                                         std::tuple(GraphMode::eager, 1),
                                         std::tuple(GraphMode::eager, 8)),
                         [](const auto& info) {
                           return std::string(name_of(std::get<0>(info.param))) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace deepinfer
