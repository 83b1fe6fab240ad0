#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

struct Model {
  int heads;
  std::int64_t width;
  int window;
  std::int64_t ring;
  std::int64_t topk;  ///< 0: a layer without compressed entries
};

constexpr std::int64_t kEntries = 8;      // per cache block
constexpr std::int64_t kTableWidth = 20;  // blocks per sequence: 160 entries
constexpr std::int64_t kBlocks = 3 * kTableWidth;

/// Three sequences of different length in one step, at positions that lie before the window is
/// full, at its edge and after the ring has wrapped; then padding.
const std::vector<std::int32_t> kPositions = {0, 1, 2, 3, 159, 158, 31, 32, -1, -1, 4};
const std::vector<std::int32_t> kSlots = {0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 0};

/// For each row some of its visible entries, ascending, -1 behind them.
std::vector<std::int32_t> selections(std::int64_t topk) {
  std::mt19937_64 random(3);
  std::vector<std::int32_t> lists;
  for (const std::int32_t position : kPositions) {
    std::set<std::int32_t> chosen;
    const std::int32_t visible = position + 1;
    const auto wanted =
        std::min<std::size_t>(static_cast<std::size_t>(visible), static_cast<std::size_t>(topk));
    while (chosen.size() < wanted)
      chosen.insert(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(visible)));
    lists.insert(lists.end(), chosen.begin(), chosen.end());
    lists.insert(lists.end(), static_cast<std::size_t>(topk) - chosen.size(), -1);
  }
  return lists;
}

RowCase attention_case(const Model& model, bool online, Rounding rounding, float deviation = 1,
                       float sink = 1) {
  const auto width = static_cast<std::size_t>(model.width);
  const SparseAttention op{.heads = model.heads,
                           .window = model.window,
                           .softmax_scale = 1 / std::sqrt(static_cast<float>(model.width)),
                           .online_bf16 = online,
                           .rounding = rounding};
  const std::vector<std::uint8_t> window =
      random_records(Quantiser::q8, 1, static_cast<std::size_t>(3 * model.ring), width);
  const std::vector<std::uint8_t> compressed =
      random_records(Quantiser::q4e, 4, static_cast<std::size_t>(kBlocks * kEntries), width);
  RowCase step(op, static_cast<int>(kPositions.size()));
  step.random("q", {model.heads * model.width}, deviation)
      .shared([=](OpFixture& f) {
        return f.view(
            "swa", DType::u8,
            {3, model.ring, static_cast<std::int64_t>(record_bytes(Quantiser::q8, width))}, window);
      })
      .ints("slots", {}, kSlots)
      .ints("positions", {}, kPositions)
      .shared([=](OpFixture& f) {
        return f.plain_weight("sink", {model.heads},
                              random_values(2, static_cast<std::size_t>(model.heads), sink));
      });
  if (model.topk == 0) return step;
  step.shared([=](OpFixture& f) {
        return f.view(
            "ca", DType::u8,
            {kBlocks, kEntries, static_cast<std::int64_t>(record_bytes(Quantiser::q4e, width))},
            compressed);
      })
      .shared([](OpFixture& f) {
        std::vector<std::int32_t> table;  // blocks of the sequences lie among each other
        for (std::int32_t slot = 0; slot < 3; ++slot)
          for (std::int32_t i = 0; i < kTableWidth; ++i)
            table.push_back(static_cast<std::int32_t>((i * 7 * 3 + slot) % kBlocks));
        return f.integers("block_table", {3, kTableWidth}, table);
      })
      .ints("selected", {model.topk}, selections(model.topk));
  return step;
}

class CpuSparseAttention : public testing::TestWithParam<Model> {};

TEST_P(CpuSparseAttention, ExactSoftmax) {
  attention_case(GetParam(), false, Rounding::none).check(2e-6);
}

TEST_P(CpuSparseAttention, ScoresFarApart) {
  attention_case(GetParam(), false, Rounding::none, 20, 30).check(1e-5);
}

TEST_P(CpuSparseAttention, OfficialOnlineSoftmax) {
  // A probability whose bf16 rounding falls the other way moves the result by at most 2^-9 of one
  // entry's share.
  attention_case(GetParam(), true, Rounding::none).check(2e-4);
  attention_case(GetParam(), true, Rounding::bf16).check(4e-3);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CpuSparseAttention,
                         testing::Values(Model{6, 96, 5, 12, 0},      // the odd tiny model
                                         Model{6, 96, 5, 12, 12},     //
                                         Model{4, 32, 8, 9, 100},     //
                                         Model{16, 64, 20, 30, 110},  // heads split among threads
                                         Model{8, 512, 70, 80, 40}));

TEST(CpuSparseAttention, OfficialDiffersFromExact) {
  const RowCase exact = attention_case({4, 32, 8, 9, 100}, false, Rounding::none);
  const RowCase online = attention_case({4, 32, 8, 9, 100}, true, Rounding::none);
  for (const NamedBackend& named : cpu_backends())
    EXPECT_NE(exact.run(*named.backend, {4}).results, online.run(*named.backend, {4}).results);
}

TEST(CpuSparseAttention, PaddingRowGivesZeros) {
  const RowCase step = attention_case({6, 96, 5, 12, 12}, false, Rounding::none);
  for (const NamedBackend& named : cpu_backends()) {
    const auto result = step.run(*named.backend, {8}).results.at(0);
    EXPECT_TRUE(std::all_of(result.begin(), result.end(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

TEST(CpuSparseAttention, SinkTakesItsShareOfTheDenominator) {
  // One entry of score 0 and a sink of 0: half of the entry's value.
  for (const NamedBackend& named : cpu_backends()) {
    OpFixture f;
    const Given q = f.activation("q", {1, 32}, std::vector<float>(32, 0.0F));
    std::vector<std::uint8_t> record(33);
    const std::vector<float> values(32, 3.0F);
    quantise(Quantiser::q8, values, record.data());
    const Given ring = f.view("swa", DType::u8, {1, 1, 33}, record);
    const Given slots = f.integers("slots", {1}, {0});
    const Given positions = f.integers("positions", {1}, {0});
    const Given sink = f.plain_weight("sink", {1}, {0.0F});
    const SparseAttention op{.heads = 1, .window = 1, .softmax_scale = 1};
    const OpRun run = f.run(*named.backend, op, {q, ring, slots, positions, sink});
    EXPECT_EQ(run.f32(), std::vector<float>(32, 1.5F));
  }
}

}  // namespace
}  // namespace deepinfer::cpu
