#include "backend/pjrt/device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/fake_plugin_test.h"

namespace deepinfer::pjrt {
namespace {

using test::fake_control;
using test::says;

/// The fake plug-in under the file name of a family: the same library, so the same control.
class NamedFake {
 public:
  explicit NamedFake(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("deepinfer_device_test_" + std::to_string(getpid()) + "_" + name)),
        file_((folder_ / name).string()) {
    std::filesystem::create_directories(folder_);
    std::filesystem::create_symlink(DEEPINFER_FAKE_PJRT_PLUGIN, file_);
    test::reset_fake();
  }
  ~NamedFake() {
    std::filesystem::remove_all(folder_);
    for (const char* name : {"FAKE_PJRT_NO_DEVICE", "TPU_SKIP_MDS_QUERY"}) unsetenv(name);
    test::reset_fake();
  }
  NamedFake(const NamedFake&) = delete;
  NamedFake& operator=(const NamedFake&) = delete;

  const std::string& file() const { return file_; }

 private:
  std::filesystem::path folder_;
  std::string file_;
};

std::string start_refusal(const std::string& file, std::string_view options = {}) {
  try {
    open_device(file, options);
  } catch (const Error& error) {
    EXPECT_EQ(fake_control().live, 0);
    return error.what();
  }
  return "opened";
}

TEST(PjrtDevice, IsOpenedWithTheFactsOfItsFamily) {
  const NamedFake neuron("libneuronpjrt.so");
  const OpenDevice device = open_device(neuron.file(), "");
  EXPECT_EQ(device.facts->family, "neuron");
  EXPECT_FALSE(device.client->awaits_runs());
  const OpenDevice other = open_device(DEEPINFER_FAKE_PJRT_PLUGIN, "");
  EXPECT_EQ(other.facts->family, "other");
  EXPECT_TRUE(other.client->awaits_runs());
}

TEST(PjrtDevice, RunsThatAreNotAwaitedLeaveNothingBehind) {
  const NamedFake neuron("libneuronpjrt.so");
  {
    const OpenDevice device = open_device(neuron.file(), "");
    const Executable program = device.client->compile(test::kCopyProgram, test::copy_signature(),
                                                      compile_option_bytes({}));
    const std::vector<float> values = {1, 2, 3, 4};
    Buffer in = device.client->upload(test::matrix("in"), std::as_bytes(std::span(values)));
    fake_control().fail_later = true;  // what its event would say
    const std::vector<Buffer> results = program.run(std::vector{Argument::lend(in)});
    std::vector<float> got(4);
    results.front().download(std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, values);
  }
  EXPECT_EQ(fake_control().live, 0);
  EXPECT_EQ(fake_control().misuses, 0);
}

TEST(PjrtDevice, SaysWhatIsMissingWithThePluginsOwnText) {
  {
    const NamedFake cuda("xla_cuda_plugin.so");
    setenv("FAKE_PJRT_NO_DEVICE", "No visible GPU devices", 1);
    EXPECT_EQ(start_refusal(cuda.file()),
              "[" + cuda.file() +
                  "] no device of this plug-in starts: FAILED_PRECONDITION: No visible GPU "
                  "devices, nvidia-smi must list a device, and the CUDA libraries be in "
                  "LD_LIBRARY_PATH");
  }
  {
    const NamedFake tpu("libtpu.so");
    setenv("TPU_SKIP_MDS_QUERY", "1", 1);
    setenv("FAKE_PJRT_NO_DEVICE", "TPU initialization failed: No jellyfish device found", 1);
    EXPECT_TRUE(says(start_refusal(tpu.file()), {"No jellyfish device found", "must have a TPU"}));
  }
  const NamedFake neuron("libneuronpjrt.so");
  setenv("FAKE_PJRT_NO_DEVICE", "nrt_init failed", 1);
  EXPECT_TRUE(
      says(start_refusal(neuron.file()), {"nrt_init failed", "neuron-ls", "docs/neuron.md"}));
}

TEST(PjrtDevice, ATpusPluginIsNotLoadedBeforeTheUserSaysWhere) {
  const NamedFake tpu("libtpu.so");
  EXPECT_TRUE(says(start_refusal(tpu.file()), {"metadata server", "TPU_SKIP_MDS_QUERY=1"}));
  EXPECT_EQ(fake_control().calls, 0);
}

TEST(PjrtDevice, ClientOptionsReachThePlugin) {
  test::reset_fake();
  EXPECT_EQ(start_refusal(DEEPINFER_FAKE_PJRT_PLUGIN, "answer=42,cpu_device_count=2"), "opened");
  EXPECT_TRUE(says(start_refusal(DEEPINFER_FAKE_PJRT_PLUGIN, "nonsense=1"),
                   {"INVALID_ARGUMENT", "Unexpected option name", "nonsense"}));
  EXPECT_TRUE(says(start_refusal(DEEPINFER_FAKE_PJRT_PLUGIN, "nonsense"),
                   {"[--pjrt-options]", "expected name=value"}));
}

TEST(PjrtDevice, TheCpuPluginMakesOneDeviceUnlessToldOtherwise) {
  if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) GTEST_SKIP() << "no plug-in";
  setenv("PJRT_NPROC", "1", 1);
  EXPECT_EQ(open_device(DEEPINFER_PJRT_PLUGIN, "").client->devices().size(), 1U);
  EXPECT_EQ(open_device(DEEPINFER_PJRT_PLUGIN, "cpu_device_count=3").client->devices().size(), 3U);
}

}  // namespace
}  // namespace deepinfer::pjrt
