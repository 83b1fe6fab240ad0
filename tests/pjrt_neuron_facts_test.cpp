// A whole model with everything that Neuron's facts change (selection, rounding, decoding, cache
// roots, runs that are not awaited), forced on the CPU plug-in by its file name.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/cli.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

TEST(NeuronFacts, AWholeModelGivesTheGreedyTokensOfCpuByThem) {
#ifdef DEEPINFER_PJRT
  if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) GTEST_SKIP() << "no plug-in";
  setenv("PJRT_NPROC", "1", 1);
  const TemporaryFolder folder;
  Options options = test_options("pjrt");
  options.pjrt_plugin = folder.file("libneuronpjrt.so");
  std::filesystem::create_symlink(DEEPINFER_PJRT_PLUGIN, options.pjrt_plugin);
  options.compile_backend = "xla_backend_optimization_level=0";  // compiling is most of the time
  options.graph_mode = GraphMode::regions;
  options.numerics = Numerics::fp32;
  options.max_batch = 1;
  options.prefill_bucket = 4;
  const auto neuron = open_runtime("t41", options);
  options.backend = BackendKind::cpu;
  const auto cpu = open_runtime("t41", options);
  const auto tokens = random_tokens(7, 21);
  EXPECT_EQ(greedy(*neuron, tokens, 12), greedy(*cpu, tokens, 12));
#else
  GTEST_SKIP() << "no plug-in";
#endif
}

}  // namespace
}  // namespace deepinfer
