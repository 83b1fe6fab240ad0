#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "backend/cpu/row_case_test.h"
#include "graph/graph_builder.h"

namespace deepinfer::cpu {
namespace {

constexpr std::int64_t kEntries = 8;      // per cache block
constexpr std::int64_t kTableWidth = 40;  // blocks per sequence: 320 entries
constexpr std::int64_t kBlocks = 3 * kTableWidth;

const std::vector<std::int32_t> kVisible = {1, 2, 6, 7, 319, 320, 202, 203, 0, 71, 301};
const std::vector<std::int32_t> kSlots = {0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 2};
const int kRows = static_cast<int>(kVisible.size());
constexpr int kPaddingRow = 8;

enum class Data {
  random,  ///< scores far enough apart that rounding does not change their order
  ties,    ///< small whole numbers: many equal scores, relu zeros, exact in every order of addition
};

std::vector<float> small_integers(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 5) - 2);
  return values;
}

std::vector<std::uint8_t> integer_records(std::size_t count, std::size_t width) {
  const std::vector<float> values = small_integers(8, count * width);
  const std::size_t size = record_bytes(Quantiser::q4u, width);
  std::vector<std::uint8_t> records(count * size);
  for (std::size_t i = 0; i < count; ++i)
    quantise(Quantiser::q4u, {values.data() + i * width, width}, records.data() + i * size);
  return records;
}

RowCase index_case(const IndexTopK& op, std::int64_t width, Data data,
                   const std::vector<std::int32_t>& candidates = {}) {
  const auto size = static_cast<std::size_t>(width);
  const auto rows = static_cast<std::size_t>(kRows);
  const auto heads = static_cast<std::size_t>(op.heads);
  constexpr auto kRecords = static_cast<std::size_t>(kBlocks * kEntries);
  const std::vector<std::uint8_t> keys = data == Data::ties
                                             ? integer_records(kRecords, size)
                                             : random_records(Quantiser::q4u, 3, kRecords, size);
  RowCase step(op, kRows);
  if (data == Data::ties)
    step.floats("q", {op.heads * width}, small_integers(1, rows * heads * size))
        .floats("weights", {op.heads}, small_integers(2, rows * heads));
  else
    step.random("q", {op.heads * width}).random("weights", {op.heads});
  step.shared([=](OpFixture& f) {
        return f.view(
            "ica", DType::u8,
            {kBlocks, kEntries, static_cast<std::int64_t>(record_bytes(Quantiser::q4u, size))},
            keys);
      })
      .shared([](OpFixture& f) {
        std::vector<std::int32_t> table;
        for (std::int32_t slot = 0; slot < 3; ++slot)
          for (std::int32_t i = 0; i < kTableWidth; ++i)
            table.push_back(static_cast<std::int32_t>((i * 7 * 3 + slot) % kBlocks));
        return f.integers("block_table", {3, kTableWidth}, table);
      })
      .ints("slots", {}, kSlots)
      .ints("visible", {}, kVisible);
  if (!candidates.empty())
    step.ints("candidates", {static_cast<std::int64_t>(candidates.size()) / kRows}, candidates);
  return step;
}

/// `count` of the row's visible blocks at random, ascending, -1 behind them.
std::vector<std::int32_t> random_candidates(std::int64_t count, int block_size) {
  std::mt19937_64 random(5);
  std::vector<std::int32_t> all;
  for (const std::int32_t visible : kVisible) {
    std::vector<std::int32_t> blocks;
    for (std::int32_t block = 0; block * block_size < visible; ++block) blocks.push_back(block);
    std::shuffle(blocks.begin(), blocks.end(), random);
    blocks.resize(std::min(blocks.size(), static_cast<std::size_t>(count)));
    std::sort(blocks.begin(), blocks.end());
    blocks.resize(static_cast<std::size_t>(count), -1);
    all.insert(all.end(), blocks.begin(), blocks.end());
  }
  return all;
}

class CpuIndexTopK : public testing::TestWithParam<Data> {};

TEST_P(CpuIndexTopK, SelectsWhatTheReferenceSelects) {
  for (const bool bf16 : {false, true})
    for (const int topk : {1, 7, 130}) {
      index_case({.heads = 6, .topk = topk, .bf16_scores = bf16}, 64, GetParam()).check(0);
      index_case({.heads = 3, .topk = topk, .bf16_scores = bf16}, 32, GetParam()).check(0);
    }
}

TEST_P(CpuIndexTopK, PublishesCandidateBlocks) {
  for (const int block_size : {1, 3, 8})
    for (const int publish : {1, 5, 30})
      index_case({.heads = 5, .topk = 20, .block_size = block_size, .publish_blocks = publish}, 96,
                 GetParam())
          .check(0);
}

TEST_P(CpuIndexTopK, OnlyCandidateBlocksCompete) {
  for (const int block_size : {1, 3, 8})
    for (const std::int64_t count : {1, 9, 60})
      index_case({.heads = 4, .topk = 20, .block_size = block_size}, 64, GetParam(),
                 random_candidates(count, block_size))
          .check(0);
}

INSTANTIATE_TEST_SUITE_P(DataSets, CpuIndexTopK, testing::Values(Data::random, Data::ties));

TEST(CpuIndexTopK, PaddingRowSelectsNothing) {
  const RowCase step =
      index_case({.heads = 2, .topk = 4, .block_size = 4, .publish_blocks = 3}, 32, Data::random);
  for (const NamedBackend& named : cpu_backends()) {
    const auto outcome = step.run(*named.backend, {kPaddingRow});
    for (const auto& result : outcome.results)
      EXPECT_TRUE(std::all_of(result.begin(), result.end(),
                              [](std::byte byte) { return byte == std::byte{0xff}; }));
  }
}

}  // namespace
}  // namespace deepinfer::cpu
