// Where columns lie does not show in the logits: both layouts, fp32 columns in the state buffer or
// in an allocation of their own.

#include <cstring>

#include "runner/captured_graph.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

class TypedRoots : public RunnerFixture, public testing::WithParamInterface<BackendKind> {
 protected:
  TypedRoots() : RunnerFixture("t41") {}  // it has ratio-2 sources, whose state is fp32

  /// Logits of a prompt in chunks of 6, 1 and 6 rows, so that groups stay unfinished in between.
  std::vector<float> logits(const CacheGeometry& g, GraphMode mode) {
    KvCaches caches(CacheLayout(model_.config(), g));
    const PrepareInput prepare = make_prepare_input(model_, caches);
    Options o = options();
    o.backend = GetParam();
    o.threads = 2;
    o.graph_mode = mode;
    GraphRunner runner(1, o);
    runner.capture(model_, caches, prepare, padding_sequence(g), kContext);
    std::vector<std::string> roots;
    for (const GraphInputs::Input& input : runner.graph_for(1).inputs().inputs())
      if (input.name.find("buffer") != std::string::npos) roots.push_back(input.name);
    EXPECT_EQ(roots.size(), g.typed_roots ? 3U : 2U);

    std::vector<std::int32_t> tokens(13);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = static_cast<std::int32_t>(7 + 31 * i);
    const std::vector<std::int32_t> blocks = {3, 1};
    std::vector<float> all;
    std::int64_t first = 0;
    for (const int rows : {6, 1, 6}) {
      const SequenceMetadata sequence{.tokens = tokens,
                                      .first_position = first,
                                      .rows = rows,
                                      .slot = 1,
                                      .blocks = blocks,
                                      .wants_logits = true,
                                      .all_logits = true};
      CapturedGraph& graph = runner.graph_for(rows);
      prepare({&sequence, 1}, runner.input(graph));
      const StepOutput output = runner.replay(graph);
      for (int row = 0; row < rows; ++row) {
        const auto values = output.logits(row);
        all.insert(all.end(), values.begin(), values.end());
      }
      first += rows;
    }
    return all;
  }
};

TEST_P(TypedRoots, AllocationsOfTheirOwnGiveTheSameBytes) {
  CacheGeometry g = geometry();
  const std::vector<float> wanted = logits(g, GraphMode::whole);
  ASSERT_EQ(wanted.size(), 13U * 640);
  for (const Layout layout : {Layout::block_major, Layout::layer_major})
    for (const bool typed : {false, true})
      for (const GraphMode mode : {GraphMode::eager, GraphMode::whole, GraphMode::regions}) {
        g.layout = layout;
        g.typed_roots = typed;
        const std::vector<float> got = logits(g, mode);
        EXPECT_EQ(std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(float)), 0)
            << "typed roots " << typed << ", mode " << name_of(mode);
      }
}

INSTANTIATE_TEST_SUITE_P(Backends, TypedRoots,
                         testing::Values(BackendKind::reference, BackendKind::cpu),
                         [](const auto& info) {
                           return info.param == BackendKind::cpu ? "cpu" : "reference";
                         });

}  // namespace
}  // namespace deepinfer
