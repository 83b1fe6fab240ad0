#include "backend/pjrt/client/plugin.h"

#include <gtest/gtest.h>
#include <pjrt_c_api.h>

#include <cstddef>
#include <filesystem>
#include <fstream>

#include "backend/pjrt/client/fake_plugin_test.h"

namespace deepinfer::pjrt {
namespace {

using test::fake_claim;
using test::reset_fake;
using test::says;

/// The text of the error (bad_input) that loading `file` gives.
std::string refusal(const std::string& file) {
  try {
    Plugin::load(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    return error.what();
  }
  return "loaded";
}

TEST(PjrtPlugin, SaysWhatItIs) {
  reset_fake();
  const auto plugin = Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN);
  EXPECT_EQ(plugin->version().major, 0);
  EXPECT_EQ(plugin->version().minor, 81);
  EXPECT_EQ(Plugin::header_version().minor, PJRT_API_MINOR);
  EXPECT_EQ(value_of(plugin->attributes(), "stablehlo_current_version"), "1.2.3");
  EXPECT_EQ(value_of(plugin->attributes(), "other"), "");
}

TEST(PjrtPlugin, AMissingFileIsNamed) {
  EXPECT_TRUE(says(refusal("no/such/plugin.so"), {"[no/such/plugin.so] no such file"}));
  EXPECT_TRUE(says(refusal(""), {"no such file"}));
}

TEST(PjrtPlugin, AFileThatIsNoSharedObjectIsRefused) {
  const auto file = std::filesystem::path(testing::TempDir()) / "text_plugin.so";
  std::ofstream(file) << "this is a text\n";
  EXPECT_TRUE(says(refusal(file), {"text_plugin.so] cannot be loaded",
                                   "expected a PJRT plug-in, a shared object"}));
  std::filesystem::remove(file);
  EXPECT_TRUE(says(refusal(testing::TempDir()), {"cannot be loaded"}));
}

TEST(PjrtPlugin, ASharedObjectWithoutTheEntryPointIsRefused) {
  EXPECT_TRUE(
      says(refusal(DEEPINFER_NO_PJRT_PLUGIN), {"no PJRT plug-in: it exports no GetPjrtApi"}));
}

TEST(PjrtPlugin, AnotherMajorVersionIsRefused) {
  reset_fake();
  fake_claim().major = 1;
  EXPECT_TRUE(says(refusal(DEEPINFER_FAKE_PJRT_PLUGIN),
                   {"expected PJRT API 0.57 or a newer minor version", "got PJRT API 1.81"}));
  reset_fake();
}

TEST(PjrtPlugin, AMinorVersionWithAnotherOrderOfEntriesIsRefused) {
  reset_fake();
  fake_claim().minor = 56;
  EXPECT_TRUE(says(refusal(DEEPINFER_FAKE_PJRT_PLUGIN), {"got PJRT API 0.56"}));
  reset_fake();
}

TEST(PjrtPlugin, ATableThatEndsBeforeANeededEntryIsRefused) {
  reset_fake();
  fake_claim().table_bytes = offsetof(PJRT_Api, PJRT_Buffer_ToHostBuffer);
  EXPECT_TRUE(says(refusal(DEEPINFER_FAKE_PJRT_PLUGIN),
                   {"this plug-in has no PJRT_Buffer_ToHostBuffer",
                    "got PJRT API 0.81 with a table of", "use a newer plug-in"}));
  fake_claim().table_bytes = 8;
  EXPECT_TRUE(says(refusal(DEEPINFER_FAKE_PJRT_PLUGIN), {"ends before the first entry"}));
  reset_fake();
}

TEST(PjrtPlugin, ATableThatEndsBeforeAnEntryOfLittleNeedIsUsed) {
  reset_fake();
  fake_claim().table_bytes = offsetof(PJRT_Api, PJRT_Client_CreateUninitializedBuffer);
  {
    const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
    try {
      client->allocate(test::matrix("root"));
      FAIL();
    } catch (const Error& error) {
      EXPECT_TRUE(
          says(error.what(), {"this plug-in has no PJRT_Client_CreateUninitializedBuffer"}));
    }
  }
  EXPECT_EQ(test::fake_control().live, 0);
  reset_fake();
}

TEST(PjrtPlugin, AnOldPluginLacksNewTypes) {
  reset_fake();
  fake_claim().minor = 62;
  const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  EXPECT_FALSE(client->supports(Element::f4e2m1fn));
  EXPECT_TRUE(client->supports(Element::f8e4m3fn));
  reset_fake();
}

TEST(PjrtPlugin, APluginWithoutDeviceIsRefused) {
  reset_fake();
  test::fake_control().no_devices = true;
  const auto plugin = Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN);
  EXPECT_THROW(Client::open(plugin), Error);
  EXPECT_EQ(test::fake_control().live, 0);
  reset_fake();
}

}  // namespace
}  // namespace deepinfer::pjrt
