#include "core/quantise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/numeric_formats.h"
#include "core/test_bits_test.h"

namespace deepinfer {
namespace {

constexpr std::size_t kManyValues = std::size_t{1} << 17;
constexpr std::size_t kRow = 64;
constexpr Quantiser kAll[] = {Quantiser::q8, Quantiser::q4u, Quantiser::q4e};

using Record = std::vector<std::uint8_t>;

Record pack(Quantiser quantiser, std::span<const float> values) {
  Record record(record_bytes(quantiser, values.size()));
  quantise(quantiser, values, record.data());
  return record;
}

std::vector<float> unpack(Quantiser quantiser, const Record& record, std::size_t n) {
  std::vector<float> values(n);
  dequantise(quantiser, record.data(), values);
  return values;
}

/// The records of `values` in rows of kRow, one after the other.
Record rows_packed(Quantiser quantiser, std::span<const float> values) {
  Record all;
  for (std::size_t begin = 0; begin < values.size(); begin += kRow) {
    const Record record = pack(quantiser, values.subspan(begin, kRow));
    all.insert(all.end(), record.begin(), record.end());
  }
  return all;
}

/// bf16 rows whose magnitude changes from row to row, 2^-45 to 2^26.
std::vector<float> scaled_rows() {
  std::vector<float> values = moderate_values(kManyValues);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(round_bf16(values[i]), static_cast<int>(i / kRow % 40) - 30);
  return values;
}

std::vector<float> block_of(std::initializer_list<float> first) {
  std::vector<float> values(first);
  values.resize(32, 0.0F);
  return values;
}

TEST(Quantise, record_sizes_are_those_of_the_caches) {
  EXPECT_EQ(record_bytes(Quantiser::q8, 512), 528U);
  EXPECT_EQ(record_bytes(Quantiser::q4e, 512), 288U);
  EXPECT_EQ(record_bytes(Quantiser::q4u, 128), 68U);
}

TEST(Quantise, check_values_of_the_specification) {  // 2.7.5
  const std::vector<float> input = block_of({0.30078125F, -1.703125F, 2.484375F, 0.010009765625F});
  const auto fake = [&](Quantiser quantiser) {
    std::vector<float> values = input;
    fake_quantise(quantiser, values);
    values.resize(4);
    return values;
  };
  EXPECT_EQ(fake(Quantiser::q8), (std::vector<float>{0.3125F, -1.75F, 2.5F, 0.009765625F}));
  EXPECT_EQ(fake(Quantiser::q4u), (std::vector<float>{0.25F, -1.5F, 2.0F, 0.0F}));
  EXPECT_EQ(fake(Quantiser::q4e), (std::vector<float>{0.203125F, -1.625F, 2.4375F, 0.0F}));

  const Record q4u = pack(Quantiser::q4u, input);
  EXPECT_EQ(q4u[0], 0xd1);  // codes 1, d: the even channel in the low nibble
  EXPECT_EQ(q4u[1], 0x06);
  EXPECT_EQ(q4u[16], 126);  // scale 0.5
  const Record q4e = pack(Quantiser::q4e, input);
  EXPECT_EQ(q4e[0], 0xe1);
  EXPECT_EQ(q4e[1], 0x07);
  EXPECT_EQ(e4m3_to_f32(q4e[16]), 0.40625F);
  EXPECT_EQ(pack(Quantiser::q8, input)[32], 120);  // scale 2^-7
}

TEST(Quantise, zero_blocks_have_the_smallest_scales) {
  const std::vector<float> zeros(32, 0.0F);
  EXPECT_EQ(pack(Quantiser::q8, zeros)[32], 127 - 22);
  EXPECT_EQ(pack(Quantiser::q4u, zeros)[16], 127 - 126);
  const Record q4e = pack(Quantiser::q4e, zeros);
  EXPECT_EQ(q4e[16], 1);
  EXPECT_EQ(q4e[17], 1);
  for (const Quantiser quantiser : kAll)
    EXPECT_EQ(unpack(quantiser, pack(quantiser, zeros), 32), zeros);
}

TEST(Quantise, the_largest_code_times_a_power_of_two_has_exactly_that_scale) {
  for (int power = -22; power <= 100; ++power)
    EXPECT_EQ(pack(Quantiser::q8, block_of({std::ldexp(448.0F, power)}))[32], power + 127);
  for (int power = -126; power <= 125; ++power) {
    const float largest = std::ldexp(6.0F, power);
    EXPECT_EQ(pack(Quantiser::q4u, block_of({largest}))[16], power + 127);
    EXPECT_EQ(pack(Quantiser::q4u, block_of({std::nextafter(largest, HUGE_VALF)}))[16],
              power + 128);
  }
}

TEST(Quantise, records_match_the_reference_on_many_rows) {
  const std::vector<float> values = scaled_rows();
  EXPECT_EQ(digest(rows_packed(Quantiser::q8, values)), 0xb2c92eed21245bc4U);
  EXPECT_EQ(digest(rows_packed(Quantiser::q4u, values)), 0x00c38e138687d014U);
  EXPECT_EQ(digest(rows_packed(Quantiser::q4e, values)), 0xf051898fd5dde982U);
}

TEST(Quantise, records_match_the_reference_at_every_exponent) {
  const std::vector<float> values = wild_values(kManyValues);
  EXPECT_EQ(digest(rows_packed(Quantiser::q8, values)), 0x62be09ec7ba51d05U);
  EXPECT_EQ(digest(rows_packed(Quantiser::q4u, values)), 0xf1be0d4f31f5b9e2U);
  EXPECT_EQ(digest(rows_packed(Quantiser::q4e, values)), 0x5a5d37a89b37abdeU);
}

TEST(Quantise, fake_quantise_is_packing_and_unpacking_and_exact_in_bf16) {
  const std::vector<float> values = scaled_rows();
  for (const Quantiser quantiser : kAll)
    for (std::size_t begin = 0; begin < values.size(); begin += kRow) {
      std::vector<float> row(values.begin() + static_cast<std::ptrdiff_t>(begin),
                             values.begin() + static_cast<std::ptrdiff_t>(begin + kRow));
      const std::vector<float> unpacked = unpack(quantiser, pack(quantiser, row), kRow);
      fake_quantise(quantiser, row);
      ASSERT_EQ(row, unpacked);
      for (const float value : row)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(value) & 0xffff, 0U) << name_of(quantiser);
    }
}

/// In the lowest E4M3 scales one more rounding is not free: a largest value of 9 * 2^-9 (1.5 times
/// the scale 2^-9, a tie that rounds to 2^-8) becomes 4 * 2^-8, whose own scale is 3 * 2^-9. So a
/// Q4E block with scale 2^-8 and no code 6 may change when it is quantised again; no other block
/// that quantise() makes can.
bool may_change_again(Quantiser quantiser, std::span<const float> block, std::uint8_t scale) {
  float largest = 0;
  for (const float value : block) largest = std::max(largest, std::fabs(value));
  return quantiser == Quantiser::q4e && scale == 2 && largest < 6 * 0x1p-8F;
}

TEST(Quantise, B19_rounding_a_rounded_row_again_keeps_every_value) {
  const std::vector<float> values = scaled_rows();
  std::size_t kept = 0;
  for (const Quantiser quantiser : kAll) {
    const std::size_t block = quantiser == Quantiser::q4e ? 16 : 32;
    for (std::size_t begin = 0; begin < values.size(); begin += kRow) {
      const Record first = pack(quantiser, std::span(values).subspan(begin, kRow));
      const std::vector<float> once = unpack(quantiser, first, kRow);
      const std::vector<float> twice = unpack(quantiser, pack(quantiser, once), kRow);
      const std::size_t scales = quantiser == Quantiser::q8 ? kRow : kRow / 2;
      for (std::size_t i = 0; i < kRow; i += block) {
        const auto part = std::span(once).subspan(i, block);
        if (may_change_again(quantiser, part, first[scales + i / block])) continue;
        ++kept;
        for (std::size_t c = i; c < i + block; ++c) ASSERT_EQ(once[c], twice[c]);
      }
    }
  }
  EXPECT_GT(kept, 8000U * 2 - 500);
}

TEST(Quantise, B19_every_code_at_every_scale_survives_unpacking_and_packing) {
  // A block holds its largest code (so that the scale is the one quantise would choose) and runs
  // through all codes of the format.
  for (int power = -22; power < 120; ++power)
    for (int first = 0; first < 256; first += 31) {
      Record record(record_bytes(Quantiser::q8, 32));
      for (int i = 0; i < 32; ++i) {
        const int code = (first + i) & 0xff;
        record[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>((code & 0x7f) == 0x7f ? code - 1 : code);
      }
      record[31] = 0x7e;
      record[32] = static_cast<std::uint8_t>(power + 127);
      ASSERT_EQ(pack(Quantiser::q8, unpack(Quantiser::q8, record, 32)), record) << power;
    }
  for (int power = -126; power < 126; ++power) {
    Record record(record_bytes(Quantiser::q4u, 32));
    for (int i = 0; i < 16; ++i)
      record[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i | ((15 - i) << 4));
    record[16] = static_cast<std::uint8_t>(power + 127);
    ASSERT_EQ(pack(Quantiser::q4u, unpack(Quantiser::q4u, record, 32)), record) << power;
  }
  for (int scale = 1; scale < 0x7f; ++scale) {
    Record record(record_bytes(Quantiser::q4e, 32));
    for (int i = 0; i < 16; ++i)
      record[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i | ((15 - i) << 4));
    record[16] = record[17] = static_cast<std::uint8_t>(scale);
    ASSERT_EQ(pack(Quantiser::q4e, unpack(Quantiser::q4e, record, 32)), record) << scale;
  }
}

TEST(Quantise, a_nan_makes_its_block_nan_and_leaves_the_others_alone) {
  for (const Quantiser quantiser : kAll)
    for (const std::uint32_t bits : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0xffffffffU}) {
      const std::size_t block = quantiser == Quantiser::q4e ? 16 : 32;
      std::vector<float> values(96, 6.0F);  // exact in all three
      values[40] = std::bit_cast<float>(bits);
      fake_quantise(quantiser, values);
      const std::size_t begin = 40 / block * block;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i >= begin && i < begin + block) {
          EXPECT_TRUE(std::isnan(values[i])) << name_of(quantiser) << " " << i;
        } else {
          EXPECT_EQ(values[i], 6.0F) << name_of(quantiser) << " " << i;
        }
      }
    }
}

TEST(Quantise, infinities_saturate) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> input = block_of({kInfinity, -kInfinity});
  const Record q8 = pack(Quantiser::q8, input);
  EXPECT_EQ(q8[0], 0x7e);
  EXPECT_EQ(q8[1], 0xfe);
  EXPECT_EQ(q8[32], 120 + 127);  // the scale of the largest float
  const Record q4u = pack(Quantiser::q4u, input);
  EXPECT_EQ(q4u[0], 0xf7);
  EXPECT_EQ(q4u[16], 126 + 127);
  // The E4M3 scale saturates at 448, the code at 6 (model specification 2.7.3).
  std::vector<float> values = block_of({1e6F, -kInfinity, 2688.0F, 1000.0F});
  fake_quantise(Quantiser::q4e, values);
  EXPECT_EQ(values[0], 2688.0F);
  EXPECT_EQ(values[1], -2688.0F);
  EXPECT_EQ(values[2], 2688.0F);
  EXPECT_EQ(values[3], 896.0F);
}

TEST(Quantise, the_sign_of_zero_is_kept) {
  for (const Quantiser quantiser : kAll) {
    std::vector<float> values = block_of({1.0F, -0.0F, 0.0F, -1e-9F});
    fake_quantise(quantiser, values);
    EXPECT_TRUE(std::signbit(values[1]));
    EXPECT_FALSE(std::signbit(values[2]));
    EXPECT_TRUE(std::signbit(values[3]));
    EXPECT_EQ(values[3], 0.0F);
  }
}

}  // namespace
}  // namespace deepinfer
