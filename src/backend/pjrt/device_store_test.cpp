#include "backend/pjrt/device_store.h"

#include <gtest/gtest.h>

#include "backend/pjrt/alias_probe.h"
#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"

namespace deepinfer::pjrt {
namespace {

using Bytes = std::vector<std::byte>;

Parameter codes(const Dims& dims) {
  return {
      .kind = ParameterKind::weight, .value = 0, .name = "w", .type = Element::ui8, .dims = dims};
}

WeightRef ref_to(const Bytes& bytes) {
  return {.format = WeightFormat::fp8, .dtype = DType::u8, .shape = {}, .data = bytes.data()};
}

TEST(DeviceStore, HoldsATensorOnceForAllThatUseIt) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  DeviceStore store(client);
  const Bytes a = {std::byte{1}, std::byte{2}};
  const Bytes b = {std::byte{3}, std::byte{4}};
  const std::vector<WeightRef> first = {ref_to(a)};
  const std::vector<WeightRef> bank = {ref_to(b), ref_to(a)};
  const auto held = store.weight(codes({1, 2}), first);
  EXPECT_EQ(store.weight(codes({1, 2}), first), held);
  EXPECT_NE(store.weight(codes({2, 1}), first), held);  // other extents are another tensor
  EXPECT_EQ(store.weight_bytes(), 2);                   // the other went with its last user
  const auto experts = store.weight(codes({2, 1, 2}), bank);
  EXPECT_EQ(store.weight_bytes(), 6);
  EXPECT_EQ(test::download<std::uint8_t>(*experts), (std::vector<std::uint8_t>{3, 4, 1, 2}));
  EXPECT_EQ(test::download<std::uint8_t>(*held), (std::vector<std::uint8_t>{1, 2}));
}

TEST(DeviceStore, AFullDeviceIsAnErrorWithAnAccount) {
  test::reset_fake();
  {
    const auto client = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
    DeviceStore store(client);
    const Bytes a(8);
    const Bytes b(16);
    const std::vector<WeightRef> first = {ref_to(a)};
    const std::vector<WeightRef> second = {ref_to(b)};
    const auto held = store.weight(codes({8}), first);
    test::fake_control().fail_code = static_cast<int>(StatusCode::resource_exhausted);
    test::fake_control().fail_at = test::fake_control().calls + 1;
    try {
      store.weight(codes({16}), second);
      FAIL() << "the device was full";
    } catch (const Error& error) {
      EXPECT_TRUE(test::says(
          error.what(), {"[device memory] is full at 'w': ", "expected at most ",
                         "got weights 8 + caches 0 + this one 16", "a device with more memory"}));
    }
    test::fake_control().fail_at = 0;
    EXPECT_EQ(store.weight_bytes(), 8);
    EXPECT_NE(store.weight(codes({16}), second), nullptr);  // nothing is left behind
  }
  EXPECT_EQ(test::fake_control().live, 0);
  EXPECT_EQ(test::fake_control().misuses, 0);
}

TEST(DeviceStore, ATensorGoesWithItsLastUser) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  DeviceStore store(client);
  Bytes bytes = {std::byte{1}};
  const std::vector<WeightRef> refs = {ref_to(bytes)};
  store.weight(codes({1}), refs);
  bytes[0] = std::byte{9};  // another file's, mapped where the first lay
  EXPECT_EQ(test::download<std::uint8_t>(*store.weight(codes({1}), refs)),
            (std::vector<std::uint8_t>{9}));
}

TEST(DeviceStore, ARootBeginsAsItsHostBytesAndStaysOnTheDevice) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  DeviceStore store(client);
  std::vector<std::uint8_t> host = {1, 2, 3, 4};
  auto* storage = reinterpret_cast<std::byte*>(host.data());
  const auto root = store.root(storage);
  EXPECT_EQ(store.root(storage), root);
  const NamedType flat = {"root", {Element::ui8, {1, 4}}};
  const NamedType rows = {"root", {Element::ui8, {2, 2}}};
  host[0] = 7;  // before the first use
  EXPECT_EQ(store.root_bytes(), 0);
  EXPECT_EQ(test::download<std::uint8_t>(root->as(flat)), host);
  root->replace(test::upload<std::uint8_t>(*client, flat, {5, 6, 7, 8}));
  EXPECT_EQ(test::download<std::uint8_t>(root->as(rows)), (std::vector<std::uint8_t>{5, 6, 7, 8}));
  EXPECT_EQ(root->as(rows).type(), rows.type);
  EXPECT_EQ(store.root_bytes(), 4);
  EXPECT_EQ(host, (std::vector<std::uint8_t>{7, 2, 3, 4}));
}

TEST(DeviceStore, ScalarsAreNarrowedToTheirType) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  DeviceStore store(client);
  EXPECT_EQ(test::download<std::int32_t>(*store.scalar(Element::i32, 528)),
            (std::vector<std::int32_t>{528}));
  EXPECT_EQ(test::download<std::int64_t>(*store.scalar(Element::i64, std::int64_t{3} << 31)),
            (std::vector<std::int64_t>{std::int64_t{3} << 31}));
}

TEST(AliasProbe, TheCpuPluginUpdatesInPlace) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  ProgramStore programs(client, compile_option_bytes({}), 1, "");
  EXPECT_EQ(probe_aliasing(*client, programs), Aliasing::in_place);
}

}  // namespace
}  // namespace deepinfer::pjrt
