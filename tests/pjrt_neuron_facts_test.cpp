// A whole model with everything that Neuron's facts change (selection, rounding, decoding, cache
// roots, runs that are not awaited), forced on the CPU plug-in by its file name.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/cli.h"
#include "tests/support/golden_checks.h"
#include "tests/support/golden_model.h"

namespace deepinfer {
namespace {

class NeuronFacts : public testing::TestWithParam<Numerics> {};

TEST_P(NeuronFacts, AWholeModelGivesTheGoldens) {
#ifdef DEEPINFER_PJRT
  if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) GTEST_SKIP() << "no plug-in";
  setenv("PJRT_NPROC", "1", 1);
  const TemporaryFolder folder;
  const std::string plugin = folder.file("libneuronpjrt.so");
  std::filesystem::create_symlink(DEEPINFER_PJRT_PLUGIN, plugin);
  GoldenRun run{.model = "t41",
                .backend = "pjrt",
                .mode = GraphMode::regions,
                .numerics = GetParam(),
                .longest_prompt = 48};
  run.all_chunkings = false;
  run.greedy_tokens = 16;
  run.pjrt_plugin = plugin;
  check_goldens(run);
#else
  GTEST_SKIP() << "no plug-in";
#endif
}

INSTANTIATE_TEST_SUITE_P(All, NeuronFacts, testing::Values(Numerics::fp32, Numerics::official),
                         [](const auto& info) { return golden_name(info.param); });

}  // namespace
}  // namespace deepinfer
