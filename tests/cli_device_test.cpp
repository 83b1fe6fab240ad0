// What the program knows of single plug-ins: `inspect --modules --device`, and plug-ins of a family
// as far as they go without the device.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cli.h"

namespace deepinfer {
namespace {

constexpr const char* kReleased = "tests/data/released";

Arguments modules_of(const std::string& rows, const std::string& mode) {
  return {"inspect",      "-m", kReleased,       "--modules", rows,          "--device", "neuron",
          "--graph-mode", mode, "--max-context", "4096",      "--kv-memory", "64M"};
}

TEST(CliDevice, ModulesOfTheReleasedConfigAreCheckedWithoutTheDevice) {
  const ProgramResult text = call(modules_of("1", "regions"));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  for (const char* part : {"modules of a step of 1 rows, mode regions, device neuron",
                           "  region attn.1", "all keep the device's rules"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;

  Arguments arguments = modules_of("128", "whole");
  arguments.emplace_back("--json");
  const ProgramResult result = call(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["distinct"], 1);
  EXPECT_EQ(json["violations"], 0);
  EXPECT_EQ(json["device"], "neuron");
  EXPECT_EQ(json["modules"][0]["name"], "step of 128 rows");
  EXPECT_GT(json["modules"][0]["lines"], 10000);
}

TEST(CliDevice, TheModuleOfAStepIsMadeForTheDevice) {
  const Arguments plain = {"inspect", "-m", kT41, "--graph", "1", "--after", "stablehlo"};
  Arguments neuron = plain;
  neuron.insert(neuron.end(), {"--device", "neuron"});
  const ProgramResult before = call(plain);
  const ProgramResult after = call(neuron);
  EXPECT_EQ(before.exit_code, 0) << before.err;
  EXPECT_EQ(after.exit_code, 0) << after.err;
  for (const char* op : {"stablehlo.sort", "stablehlo.reduce_precision"}) {
    EXPECT_NE(before.out.find(op), std::string::npos) << op;
    EXPECT_EQ(after.out.find(op), std::string::npos) << op;
  }
}

TEST(CliDevice, WrongUseIsNamed) {
  const auto expect_refused = [](const Arguments& arguments, const std::string& message) {
    const ProgramResult result = call(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.error_lines(), 1) << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  expect_refused({"inspect", "--modules", "1", "--device", "abacus"},
                 "[--device] unknown kind of device, expected cpu, neuron, cuda, tpu or other");
  expect_refused({"inspect", "--graph", "1", "--device", "neuron"}, "[--device] has no effect");
  expect_refused({"inspect", "--modules", "0"}, "[--modules]");
  expect_refused({"inspect", "--modules", "400"}, "more than the largest step has");
}

#ifdef DEEPINFER_FAKE_PJRT_PLUGIN

/// The fake plug-in under another file name.
class NamedPlugin {
 public:
  explicit NamedPlugin(const std::string& name) : file_(folder_.file(name)) {
    std::filesystem::create_symlink(DEEPINFER_FAKE_PJRT_PLUGIN, file_);
  }

  ProgramResult inspect(
      const Arguments& more = {},
      const std::vector<std::pair<std::string, std::string>>& environment = {}) const {
    Arguments arguments = {"inspect", "--machine", "--pjrt-plugin", file_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(DEEPINFER_PROGRAM, {.arguments = arguments, .environment = environment});
  }
  const std::string& file() const { return file_; }

 private:
  TemporaryFolder folder_;
  std::string file_;
};

TEST(CliDevice, NeuronsPluginSeesTheHeadersVersionWhenItIsLoaded) {
  const NamedPlugin plugin("libneuronpjrt.so");
  const ProgramResult result = plugin.inspect({"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out)["pjrt_plugin"];
  EXPECT_EQ(json["attributes"]["seen_when_loaded"], json["header_pjrt_api"]);
  EXPECT_EQ(json["facts"]["family"], "neuron");
  EXPECT_EQ(json["facts"]["selection by"], "counting");

  const ProgramResult own =
      plugin.inspect({"--json"}, {{"NEURON_INTERNAL_PJRT_C_API_VERSION", "0.70"}});
  EXPECT_EQ(nlohmann::json::parse(own.out)["pjrt_plugin"]["attributes"]["seen_when_loaded"],
            "0.70");
}

TEST(CliDevice, APluginWithoutItsDeviceIsOneLineWithItsOwnText) {
  const NamedPlugin cuda("xla_cuda_plugin.so");
  const ProgramResult result =
      cuda.inspect({}, {{"FAKE_PJRT_NO_DEVICE", "No visible GPU devices"}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.error_lines(), 1) << result.err;
  for (const char* part : {"xla_cuda_plugin.so] no device", "No visible GPU devices", "nvidia-smi"})
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

TEST(CliDevice, ATpusPluginIsRefusedBeforeItCouldAskTheNetwork) {
  const NamedPlugin tpu("libtpu.so");
  const ProgramResult refused = tpu.inspect();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.error_lines(), 1) << refused.err;
  EXPECT_NE(refused.err.find("TPU_SKIP_MDS_QUERY=1"), std::string::npos) << refused.err;
  const ProgramResult loaded = tpu.inspect({}, {{"TPU_SKIP_MDS_QUERY", "1"}});
  EXPECT_EQ(loaded.exit_code, 0) << loaded.err;
}

TEST(CliDevice, OptionsOfTheClientReachThePlugin) {
  const NamedPlugin plugin("mine.so");
  EXPECT_EQ(plugin.inspect({"--pjrt-options", "answer=42"}).exit_code, 0);
  const ProgramResult unknown = plugin.inspect({"--pjrt-options", "nonsense=1"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("Unexpected option name passed to PJRT_Client_Create: nonsense"),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(plugin.inspect({"--pjrt-options", "nonsense"}).exit_code, 2);
}

#endif

TEST(CliDevice, ClientOptionsDoNothingWithoutAPlugin) {
  const ProgramResult result = call({"inspect", "--config", "--pjrt-options", "a=1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("warning: [--pjrt-options] has no effect"), std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace deepinfer
