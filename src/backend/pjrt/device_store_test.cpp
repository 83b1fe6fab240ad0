#include "backend/pjrt/device_store.h"

#include <gtest/gtest.h>

#include "backend/pjrt/alias_probe.h"
#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"

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
  const auto experts = store.weight(codes({2, 1, 2}), bank);
  EXPECT_EQ(test::download<std::uint8_t>(*experts), (std::vector<std::uint8_t>{3, 4, 1, 2}));
  EXPECT_EQ(test::download<std::uint8_t>(*held), (std::vector<std::uint8_t>{1, 2}));
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
  EXPECT_EQ(test::download<std::uint8_t>(root->as(flat)), host);
  root->replace(test::upload<std::uint8_t>(*client, flat, {5, 6, 7, 8}));
  EXPECT_EQ(test::download<std::uint8_t>(root->as(rows)), (std::vector<std::uint8_t>{5, 6, 7, 8}));
  EXPECT_EQ(root->as(rows).type(), rows.type);
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
