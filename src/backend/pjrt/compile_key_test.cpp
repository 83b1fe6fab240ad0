#include "backend/pjrt/compile_key.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "backend/pjrt/client/fake_plugin_test.h"
#include "core/sha256.h"
#include "core/temporary_folder_test.h"

namespace deepinfer::pjrt {
namespace {

CompilerIdentity some_identity() {
  return {.plugin_sha256 = "aa",
          .platform = "cpu",
          .platform_version = "1",
          .device_kind = "kind",
          .processor = "avx"};
}

TEST(CompileKey, EveryPartMattersAndNoneRunsIntoTheNext) {
  std::set<std::string> keys;
  const auto add = [&](const CompilerIdentity& identity, const char* text, const char* options) {
    EXPECT_TRUE(keys.insert(compile_key(identity, text, options)).second) << keys.size();
  };
  add(some_identity(), "module", "options");
  add(some_identity(), "modul", "options");
  add(some_identity(), "moptions", "odule");
  add(some_identity(), "module", "optionsm");
  for (std::string CompilerIdentity::*part :
       {&CompilerIdentity::plugin_sha256, &CompilerIdentity::platform,
        &CompilerIdentity::platform_version, &CompilerIdentity::device_kind,
        &CompilerIdentity::processor}) {
    CompilerIdentity other = some_identity();
    other.*part += "c";
    add(other, "module", "options");
    (other.*part).clear();
    add(other, "module", "options");
  }
  EXPECT_EQ(compile_key(some_identity(), "module", "options"),
            compile_key(some_identity(), "module", "options"));
}

TEST(CompileKey, E8_the_place_of_the_plugin_is_not_part_of_it) {
  test::reset_fake();
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "elsewhere.so";
  std::filesystem::copy_file(DEEPINFER_FAKE_PJRT_PLUGIN, copy);
  const auto identity = [](const std::string& file) {
    return identity_of(*Client::open(Plugin::load(file)), sha256_of_file(file));
  };
  const CompilerIdentity here = identity(DEEPINFER_FAKE_PJRT_PLUGIN);
  const CompilerIdentity there = identity(copy.string());
  EXPECT_EQ(here.platform, "fake");
  EXPECT_EQ(here.platform_version, "1.0 of the fake");
  EXPECT_EQ(here.device_kind, "fake kind");
  EXPECT_EQ(compile_key(here, "a", "b"), compile_key(there, "a", "b"));
}

TEST(CompileKey, ProcessorsAreToldByWhatTheyCanDo) {
  const std::string features = processor_features();
  EXPECT_EQ(features, processor_features());
  EXPECT_GT(features.size(), 8U);
}

}  // namespace
}  // namespace deepinfer::pjrt
