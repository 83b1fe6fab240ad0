// `deepinfer inspect --machine --pjrt-plugin`.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cli.h"
#include "tests/support/pjrt_plugin.h"

namespace deepinfer {
namespace {

#ifdef DEEPINFER_FAKE_PJRT_PLUGIN

constexpr const char* kFake = DEEPINFER_FAKE_PJRT_PLUGIN;

TEST(CliPjrt, InspectShowsAPluginAndItsDevices) {
  const ProgramResult text = call({"inspect", "--machine", "--pjrt-plugin", kFake});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* part :
       {"instruction sets", "PJRT API", "0.81", "platform                   fake",
        "stablehlo_current_version  1.2.3", "device 1", "fake kind (a fake device)",
        "1000 B in use of 3.9 KiB", "memories: fake memory"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;

  const ProgramResult result = call({"inspect", "--machine", "--json", "--pjrt-plugin", kFake});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json plugin = nlohmann::json::parse(result.out)["pjrt_plugin"];
  EXPECT_EQ(plugin["platform"], "fake");
  EXPECT_EQ(plugin["attributes"]["stablehlo_current_version"], "1.2.3");
  ASSERT_EQ(plugin["devices"].size(), 2U);
  EXPECT_EQ(plugin["devices"][1]["id"], 1);
  EXPECT_EQ(plugin["devices"][1]["memory"]["limit"], 4000);
}

TEST(CliPjrt, ACrashOfThePluginIsToldFromOurs) {
  int explained = 0;
  for (const Arguments& arguments : {Arguments{"inspect", "--machine", "--pjrt-plugin", kFake},
                                     quick({"run", "-m", kT41, "--backend", "pjrt", "--pjrt-plugin",
                                            kFake, "--tokens", "1,2", "-n", "1"})})
    for (const int at : {1, 2, 3, 5, 8}) {
      const ProgramResult result = run_program(
          DEEPINFER_PROGRAM,
          {.arguments = arguments, .environment = {{"FAKE_PJRT_CRASH_AT", std::to_string(at)}}});
      EXPECT_EQ(result.exit_code, 1) << arguments[0] << " at " << at << "\n" << result.err;
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err.rfind("[" + std::string(kFake) + "] the plug-in crashed in PJRT_", 0),
                0U)
          << result.err;
      EXPECT_NE(result.err.find(" with SIGABRT"), std::string::npos) << result.err;
      EXPECT_EQ(result.error_lines(), 1) << result.err;
      explained += result.exit_code == 1 ? 1 : 0;
    }
  EXPECT_EQ(explained, 10);
}

TEST(CliPjrt, WithoutAFileTheFetchedPluginRuns) {
  const ProgramResult result =
      call(quick({"run", "-m", kT41, "--backend", "pjrt", "--graph-mode", "eager", "--tokens",
                  "1,2,3", "-n", "2", "--max-batch", "1", "--prefill-bucket", "1", "--json"}));
  if (!has_pjrt_plugin()) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err.rfind("[--pjrt-plugin] is needed by --backend pjrt", 0), 0U) << result.err;
    return;
  }
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["tokens"].size(), 2U) << result.out;
}

TEST(CliPjrt, AFileThatIsNoPluginIsNamed) {
  for (const char* file : {"no/plugin.so", "README.md"}) {
    const ProgramResult result = call({"inspect", "--machine", "--pjrt-plugin", file});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("[" + std::string(file) + "] ", 0), 0U) << result.err;
    EXPECT_EQ(result.error_lines(), 1) << result.err;
  }
}

#else

TEST(CliPjrt, ABuildWithoutTheHeaderSaysHowToGetIt) {
  const ProgramResult result = call({"inspect", "--machine", "--pjrt-plugin", "plugin.so"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(
      result.err,
      "[--pjrt-plugin] this build cannot load PJRT plug-ins, run make pjrt and build again\n");
}

#endif

TEST(CliPjrt, WithoutAPluginTheMachineIsShownAlone) {
  const ProgramResult result = call({"inspect", "--machine"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("PJRT"), std::string::npos) << result.out;
}

TEST(CliPjrt, OptionsOfAPluginDoNothingWithoutOne) {
  const ProgramResult result = call({"inspect", "--config", "--pjrt-plugin", "x.so",
                                     "--compile-backend", "a=1", "--compile-cache", "x"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* flag : {"--pjrt-plugin", "--compile-backend", "--compile-cache"})
    EXPECT_NE(result.err.find("warning: [" + std::string(flag) + "] has no effect"),
              std::string::npos)
        << result.err;
}

}  // namespace
}  // namespace deepinfer
