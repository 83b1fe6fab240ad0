// Number formats and quantisers against the goldens: bytes, codes and decoded values exact.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/numeric_formats.h"
#include "core/quantise.h"
#include "tests/support/golden_file.h"
#include "tests/support/op_golden_suite.h"

namespace deepinfer {
namespace {

const GoldenFile& goldens() {
  static const GoldenFile file("tests/data/goldens/ops/ops.safetensors");
  return file;
}

/// Equal bit by bit, or both NaN.
bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

TEST(FormatGoldens, DecodersAgreeOnEveryCode) {
  const auto e4m3 = goldens().f32("table.e4m3");
  const auto e8m0 = goldens().f32("table.e8m0");
  const auto e2m1 = goldens().f32("table.e2m1");
  ASSERT_EQ(e4m3.size(), 256U);
  ASSERT_EQ(e8m0.size(), 256U);
  ASSERT_EQ(e2m1.size(), 16U);
  for (std::size_t code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    EXPECT_TRUE(same(e4m3_to_f32(byte), e4m3[code])) << "E4M3 " << code;
    EXPECT_TRUE(same(e4m3_table()[code], e4m3[code])) << "E4M3 table " << code;
    EXPECT_TRUE(same(e8m0_to_f32(byte), e8m0[code])) << "E8M0 " << code;
    EXPECT_TRUE(same(e2m1_to_f32(byte), e2m1[code % 16])) << "E2M1 " << code;
  }
}

TEST(FormatGoldens, EncodersAgreeOnGridPointsMidpointsAndNeighbours) {
  const auto e4m3 = goldens().f32("enc.e4m3.in");
  const auto e4m3_codes = goldens().u8("enc.e4m3.codes");
  for (std::size_t i = 0; i < e4m3.size(); ++i)
    EXPECT_EQ(f32_to_e4m3(e4m3[i]), e4m3_codes[i]) << e4m3[i];
  const auto e2m1 = goldens().f32("enc.e2m1.in");
  const auto e2m1_codes = goldens().u8("enc.e2m1.codes");
  for (std::size_t i = 0; i < e2m1.size(); ++i)
    EXPECT_EQ(f32_to_e2m1(e2m1[i]), e2m1_codes[i]) << e2m1[i];
}

TEST(FormatGoldens, RoundingToBf16) {
  const auto in = goldens().f32("bf16.in");
  const auto out = goldens().f32("bf16.out");
  for (std::size_t i = 0; i < in.size(); ++i)
    EXPECT_TRUE(same(round_bf16(in[i]), out[i])) << in[i] << " gives " << round_bf16(in[i]);
}

struct QuantiserCase {
  Quantiser quantiser;
  std::string key;
};

class QuantiserGoldens : public testing::TestWithParam<QuantiserCase> {};

TEST_P(QuantiserGoldens, RecordsAndDecodedValuesAreExact) {
  const auto& [quantiser, key] = GetParam();
  const auto in = goldens().f32(key + ".in");
  const auto fake = goldens().f32(key + ".fake");
  const auto record = goldens().u8(key + ".record");
  const std::size_t rows = in.size() / 32;
  const std::size_t bytes = record_bytes(quantiser, 32);
  ASSERT_EQ(record.size(), rows * bytes);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const float> values(in.data() + row * 32, 32);
    std::vector<std::uint8_t> packed(bytes);
    quantise(quantiser, values, packed.data());
    std::vector<float> decoded(32);
    dequantise(quantiser, packed.data(), decoded);
    std::vector<float> faked(values.begin(), values.end());
    fake_quantise(quantiser, faked);
    for (std::size_t i = 0; i < bytes; ++i)
      EXPECT_EQ(packed[i], record[row * bytes + i]) << "row " << row << " byte " << i;
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_TRUE(same(decoded[i], fake[row * 32 + i])) << "row " << row << " channel " << i;
      EXPECT_TRUE(same(faked[i], fake[row * 32 + i])) << "row " << row << " channel " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuantiserGoldens,
                         testing::Values(QuantiserCase{Quantiser::q8, "q8.fp32"},
                                         QuantiserCase{Quantiser::q8, "q8.bf16"},
                                         QuantiserCase{Quantiser::q4u, "q4u.fp32"},
                                         QuantiserCase{Quantiser::q4u, "q4u.bf16"},
                                         QuantiserCase{Quantiser::q4e, "q4e.fp32"},
                                         QuantiserCase{Quantiser::q4e, "q4e.bf16"}),
                         [](const auto& info) {
                           std::string name = info.param.key;
                           name[name.find('.')] = '_';
                           return name;
                         });

class QuantiserOpGoldens : public OpGoldenSuite {};

TEST_P(QuantiserOpGoldens, FakeQuantiseIsExact) {
  for (const auto& [quantiser, key] :
       {QuantiserCase{Quantiser::q8, "q8.fp32"}, QuantiserCase{Quantiser::q4u, "q4u.fp32"},
        QuantiserCase{Quantiser::q4e, "q4e.fp32"}}) {
    const FakeQuantise op{.quantiser = quantiser};
    const Given x = activation(key + ".in");
    EXPECT_EQ(fixture.run(backend(), op, {x}).f32(), golden(key + ".fake")) << key;
    EXPECT_EQ(fixture.run_in_place(backend(), op, {x}).f32(), golden(key + ".fake")) << key;
  }
}

TEST_P(QuantiserOpGoldens, CacheWritesStoreTheExactRecords) {
  const auto rows = static_cast<std::int32_t>(goldens().shape("q8.fp32.in")[0]);
  std::vector<std::int32_t> ascending(static_cast<std::size_t>(rows));
  for (std::int32_t row = 0; row < rows; ++row) ascending[static_cast<std::size_t>(row)] = row;
  const std::vector<std::int32_t> zeros(ascending.size());
  const Given slots = fixture.integers("slots", {rows}, zeros);
  const Given positions = fixture.integers("positions", {rows}, ascending);
  const Given blocks = fixture.integers("blocks", {1, 1}, {0});

  const Given ring = fixture.view("ring", DType::u8, {1, rows, 33});
  const Given kv = activation("q8.fp32.in");
  EXPECT_EQ(
      fixture.run(backend(), WindowWrite{}, {kv, ring, slots, positions}).view<std::uint8_t>(ring),
      goldens().u8("q8.fp32.record"));
  for (const auto& [quantiser, key] :
       {QuantiserCase{Quantiser::q4u, "q4u.fp32"}, QuantiserCase{Quantiser::q4e, "q4e.fp32"}}) {
    const auto record = static_cast<std::int64_t>(record_bytes(quantiser, 32));
    const Given cache = fixture.view(key + ".cache", DType::u8, {1, rows, record});
    const BlockWrite op{.quantiser = quantiser, .ratio = 1};
    EXPECT_EQ(fixture.run(backend(), op, {activation(key + ".in"), cache, blocks, slots, positions})
                  .view<std::uint8_t>(cache),
              goldens().u8(key + ".record"))
        << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, QuantiserOpGoldens, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
