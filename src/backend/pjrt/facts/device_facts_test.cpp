#include "backend/pjrt/facts/device_facts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

TEST(DeviceFacts, AFamilyIsKnownByItsFileThenByItsPlatform) {
  EXPECT_EQ(facts_of_file("some/where/libneuronpjrt.so").family, "neuron");
  EXPECT_EQ(facts_of_file("libtpu.so").family, "tpu");
  EXPECT_EQ(facts_of_file("/x/xla_cuda_plugin.so").family, "cuda");
  EXPECT_EQ(facts_of_file("build/pjrt/xla_cpu_pjrt.so").family, "cpu");
  EXPECT_EQ(facts_of_file("libtpu/mine.so").family, "other") << "a folder says nothing";
  EXPECT_EQ(facts_of_file("").family, "other");
  EXPECT_EQ(facts_of("mine.so", "neuron").family, "neuron");
  EXPECT_EQ(facts_of("libneuronpjrt.so", "cpu").family, "neuron");
  EXPECT_EQ(facts_of("mine.so", "").family, "other");
}

TEST(DeviceFacts, NamesAreUniqueAndAnUnknownOneIsRefused) {
  std::set<std::string_view> names;
  for (const DeviceFacts* facts : known_families()) {
    EXPECT_TRUE(names.insert(facts->family).second) << facts->family;
    EXPECT_EQ(&facts_named(facts->family, "--device"), facts);
    for (const std::string_view file : facts->files)
      EXPECT_EQ(&facts_of_file(file), facts) << file << " belongs to two families";
  }
  EXPECT_EQ(facts_named("other", "--device").family, "other");
  try {
    facts_named("abacus", "--device");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "[--device] unknown kind of device, expected cpu, neuron, cuda, tpu or other, got "
              "abacus");
  }
}

/// Variables as a test found them.
class KeptVariable {
 public:
  explicit KeptVariable(const char* name) : name_(name) {
    const char* value = std::getenv(name);
    if (value != nullptr) value_ = value;
    unsetenv(name);
  }
  ~KeptVariable() {
    if (value_.empty())
      unsetenv(name_);
    else
      setenv(name_, value_.c_str(), 1);
  }
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;

 private:
  const char* name_;
  std::string value_;
};

TEST(DeviceFacts, NeuronIsToldTheHeadersVersionUnlessTheUserSaysAnother) {
  constexpr const char* kName = "NEURON_INTERNAL_PJRT_C_API_VERSION";
  const KeptVariable version(kName);
  const KeptVariable flags("NEURON_CC_FLAGS");
  const KeptVariable rounding("NEURON_RT_STOCHASTIC_ROUNDING_EN");
  prepare_environment(neuron_facts(), "libneuronpjrt.so", "0.81");
  EXPECT_STREQ(std::getenv(kName), "0.81");
  EXPECT_STREQ(std::getenv("NEURON_CC_FLAGS"), "--auto-cast=none");
  EXPECT_STREQ(std::getenv("NEURON_RT_STOCHASTIC_ROUNDING_EN"), "0");
  setenv(kName, "0.70", 1);
  prepare_environment(neuron_facts(), "libneuronpjrt.so", "0.81");
  EXPECT_STREQ(std::getenv(kName), "0.70");
}

TEST(DeviceFacts, OnlyTheUserKnowsWhetherThereIsAMetadataServer) {
  const KeptVariable skip("TPU_SKIP_MDS_QUERY");
  try {
    prepare_environment(tpu_facts(), "x/libtpu.so", "0.81");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_EQ(std::string(error.what()),
              "[x/libtpu.so] would ask a cloud metadata server over the network when loaded, set "
              "TPU_SKIP_MDS_QUERY=1 off Google Cloud, TPU_SKIP_MDS_QUERY=0 on it");
  }
  setenv("TPU_SKIP_MDS_QUERY", "0", 1);
  EXPECT_NO_THROW(prepare_environment(tpu_facts(), "x/libtpu.so", "0.81"));
  EXPECT_STREQ(std::getenv("TPU_SKIP_MDS_QUERY"), "0");
}

TEST(DeviceFacts, TheUsersClientOptionsComeFirst) {
  const auto standard = client_options(cpu_facts(), {});
  ASSERT_EQ(standard.size(), 1U);
  EXPECT_EQ(standard[0].name, "cpu_device_count");
  EXPECT_EQ(standard[0].value, OptionValue(std::int64_t{1}));
  const auto own = client_options(
      cpu_facts(),
      {{.name = "x", .value = true}, {.name = "cpu_device_count", .value = std::int64_t{3}}});
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[1].value, OptionValue(std::int64_t{3}));
  EXPECT_TRUE(client_options(cuda_facts(), {}).empty()) << "it refuses what it does not know";
}

TEST(DeviceFacts, AreListedForReports) {
  const auto list = list_facts(neuron_facts());
  const auto value = [&](std::string_view name) {
    for (const auto& [known, text] : list)
      if (known == name) return text;
    return std::string("nothing");
  };
  EXPECT_EQ(value("family"), "neuron");
  EXPECT_EQ(value("type f8E4M3FN"), "never used");
  EXPECT_EQ(value("selection by"), "counting");
  EXPECT_EQ(value("runs are awaited"), "no");
  EXPECT_NE(value("compiler's own cache").find("NEURON_COMPILE_CACHE_URL"), std::string::npos);
}

}  // namespace
}  // namespace deepinfer::pjrt
