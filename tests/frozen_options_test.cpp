// Options are resolved once: a changed environment after capture has no effect, and inspect says
// where every value came from.

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

/// Sets a variable of this process for the life of the object.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

const char* read_environment(const char* name) { return std::getenv(name); }

TEST(FrozenOptions, AChangedEnvironmentAfterCaptureHasNoEffect) {
  const std::vector<FlagValue> flags = {
      {"--model", test_model("t41")}, {"--backend", "cpu"}, {"--kv-memory", "8M"},
      {"--max-context", "256"},       {"--threads", "1"},   {"--prefill-bucket", "8"}};
  const std::vector<std::int32_t> tokens = random_tokens(401, 30);
  std::vector<float> wanted;
  std::vector<int> sizes;
  {
    const Variable batch("DEEPINFER_MAX_BATCH", "2");
    const Variable mode("DEEPINFER_GRAPH_MODE", "whole");
    const auto runtime = open_runtime("t41", resolve_options(flags, read_environment).options);
    sizes = runtime->runner().graphs();
    ASSERT_EQ(sizes, (std::vector<int>{1, 2, 8}));
    wanted = last_logits(*runtime, tokens);

    const Variable changed[] = {{"DEEPINFER_MAX_BATCH", "5"},
                                {"DEEPINFER_GRAPH_MODE", "eager"},
                                {"DEEPINFER_NEURON_GRAPH_MODE", "regions"},
                                {"DEEPINFER_NUMERICS", "fp32"},
                                {"DEEPINFER_BACKEND", "reference"},
                                {"DEEPINFER_ISA", "scalar"},
                                {"DEEPINFER_LAYOUT", "layer_major"},
                                {"DEEPINFER_INPUT_ON_DEVICE", "1"},
                                {"DEEPINFER_THREADS", "not a number"},
                                {"DEEPINFER_PREFILL_BUCKET", "3"}};
    EXPECT_TRUE(same_bits(last_logits(*runtime, tokens), wanted));
    EXPECT_EQ(runtime->runner().graphs(), sizes);
    for (const CaptureInfo& info : runtime->runner().captures())
      EXPECT_EQ(info.mode, GraphMode::whole);
    EXPECT_EQ(runtime->options().max_batch, 2);
    // A new capture of the same runner, too: its options are its own.
    EXPECT_EQ(runtime->runner().compiles(), 3U);
  }
  // The same variables before resolving do have one.
  const Variable batch("DEEPINFER_MAX_BATCH", "5");
  const auto other = open_runtime("t41", resolve_options(flags, read_environment).options);
  EXPECT_EQ(other->runner().graphs(), (std::vector<int>{1, 2, 4, 5, 8}));
}

TEST(FrozenOptions, InspectSaysWhereEveryValueCameFrom) {
  const ProgramResult result = run_program(
      DEEPINFER_PROGRAM,
      {.arguments = {"inspect", "--options", "--json", "--threads", "3", "--fullgraph", "false"},
       .environment = {{"DEEPINFER_MAX_BATCH", "5"},
                       {"DEEPINFER_THREADS", "7"},
                       {"DEEPINFER_NEURON_ALIAS_DEBUG", "1"}}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto expect = [&](const char* name, const char* value, const char* source) {
    EXPECT_EQ(json[name]["value"], value) << name;
    EXPECT_EQ(json[name]["source"], source) << name;
  };
  expect("threads", "3", "flag");
  expect("fullgraph", "false", "flag");
  expect("max-batch", "5", "DEEPINFER_MAX_BATCH");
  expect("alias-debug", "true", "DEEPINFER_NEURON_ALIAS_DEBUG");
  expect("prefill-bucket", "128", "default");
  expect("layout", "auto", "default");
}

}  // namespace
}  // namespace deepinfer
