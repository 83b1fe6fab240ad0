// Attention, index selection and the compressor against the op-level goldens.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/reference/attention.h"
#include "backend/reference/selection.h"
#include "core/numeric_formats.h"
#include "core/quantise.h"
#include "tests/support/op_golden_suite.h"

namespace deepinfer {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t as_size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::vector<std::int32_t> ascending(std::int64_t n) {
  std::vector<std::int32_t> values(as_size(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// `record` bytes per `width` values.
std::vector<std::uint8_t> packed(Quantiser quantiser, const std::vector<float>& values,
                                 std::size_t width) {
  const std::size_t record = record_bytes(quantiser, width);
  std::vector<std::uint8_t> bytes(values.size() / width * record);
  for (std::size_t i = 0; i < values.size() / width; ++i)
    quantise(quantiser, std::span(values).subspan(i * width, width), bytes.data() + i * record);
  return bytes;
}

class AttentionGoldens : public OpGoldenSuite {
 protected:
  static constexpr int kRows = 7;
  static constexpr int kHeads = 4;
  static constexpr std::int64_t kWidth = 64;
  static constexpr std::int64_t kEntries = 80;

  /// Attention over the window alone: every row is a sequence whose positions 0, 1, … are the
  /// entries its golden list names. Places of absent entries in the list are not kept.
  std::vector<float> run_window(bool online_bf16) {
    const std::vector<std::int32_t> idx = goldens().i32("attn.idx");
    const std::vector<float> v = golden("attn.v");
    std::vector<std::int32_t> positions;
    std::vector<float> ring;
    for (std::size_t t = 0; t < kRows; ++t) {
      std::int32_t count = 0;
      std::vector<float> sequence(kEntries * kWidth);
      for (std::size_t i = 0; i < kEntries; ++i) {
        const std::int32_t entry = idx[t * kEntries + i];
        if (entry < 0) continue;
        std::copy_n(v.begin() + entry * kWidth, kWidth, sequence.begin() + count * kWidth);
        ++count;
      }
      positions.push_back(count - 1);
      ring.insert(ring.end(), sequence.begin(), sequence.end());
    }
    const Shape cache = {kRows, kEntries,
                         static_cast<std::int64_t>(record_bytes(Quantiser::q8, 64))};
    const SparseAttention op{.heads = kHeads,
                             .window = kEntries,
                             .softmax_scale = 0.125F,
                             .online_bf16 = online_bf16,
                             .rounding = online_bf16 ? Rounding::bf16 : Rounding::none};
    return fixture
        .run(backend(), op,
             {activation("attn.q", {kRows, kHeads * kWidth}),
              fixture.view("ring", DType::u8, cache, packed(Quantiser::q8, ring, 64)),
              fixture.integers("slots", {kRows}, ascending(kRows)),
              fixture.integers("positions", {kRows}, positions), plain_weight("attn.sink")})
        .f32();
  }
};

TEST_P(AttentionGoldens, ExactSoftmax) { expect_golden(run_window(false), "attn.out_fp32"); }

TEST_P(AttentionGoldens, OfficialBlocksOfAFullList) {
  // Rows 0 to 2: nothing, one entry, all 80 in two blocks. Of the others the op cannot be given
  // lists with holes; the reference's own function is, below.
  std::vector<float> actual = run_window(true);
  std::vector<float> expected = golden("attn.out_official");
  actual.resize(3 * kHeads * kWidth);
  expected.resize(actual.size());
  EXPECT_TRUE(is_close(actual, expected, kGoldenTolerance));
}

TEST(ReferenceAttentionGoldens, ListsWithHolesInBothNumerics) {
  const GoldenFile goldens("tests/data/goldens/ops/ops.safetensors");
  const auto q = goldens.f32("attn.q");
  const auto sink = goldens.f32("attn.sink");
  const auto idx = goldens.i32("attn.idx");
  auto v = goldens.f32("attn.v");
  std::vector<float> exact;
  std::vector<float> official;
  for (std::size_t t = 0; t < 7; ++t) {
    bool present[80];
    for (std::size_t i = 0; i < 80; ++i) present[i] = idx[t * 80 + i] >= 0;
    const reference::EntryList list{
        .values = v.data(), .present = present, .count = 80, .width = 64};
    for (std::size_t h = 0; h < 4; ++h) {
      const float* query = q.data() + (t * 4 + h) * 64;
      double scores[80];
      double output[64];
      reference::attend_exact(list, query, 0.125F, sink[h], scores, output);
      for (const double value : output) exact.push_back(static_cast<float>(value));
      reference::attend_online(list, query, 0.125F, sink[h], scores, output);
      for (const double value : output) official.push_back(round_bf16(static_cast<float>(value)));
    }
  }
  EXPECT_TRUE(is_close(exact, goldens.f32("attn.out_fp32"), 2e-6));
  EXPECT_TRUE(is_close(official, goldens.f32("attn.out_official"), 2e-6));
}

class IndexGoldens : public OpGoldenSuite {
 protected:
  /// Entries best first, by what each larger topk adds to the list.
  std::vector<std::vector<std::int32_t>> orders(bool bf16_scores) {
    const std::int64_t rows = goldens().shape("iscore.w")[0];
    const std::int64_t n = goldens().shape("iscore.k")[0];
    const auto record = static_cast<std::int64_t>(record_bytes(Quantiser::q4u, 32));
    const std::vector<Given> operands = {
        activation("iscore.q", {rows, 8 * 32}),
        activation("iscore.w"),
        fixture.view("keys", DType::u8, {1, n, record},
                     packed(Quantiser::q4u, golden("iscore.k"), 32)),
        fixture.integers("blocks", {1, 1}, {0}),
        fixture.integers("slots", {rows}, std::vector<std::int32_t>(as_size(rows))),
        fixture.integers("visible", {rows},
                         std::vector<std::int32_t>(as_size(rows), static_cast<std::int32_t>(n)))};
    std::vector<std::vector<std::int32_t>> result(as_size(rows));
    for (int k = 1; k <= n; ++k) {
      const IndexTopK op{.heads = 8, .topk = k, .bf16_scores = bf16_scores};
      const std::vector<std::int32_t> selected = fixture.run(backend(), op, operands).i32();
      for (std::size_t t = 0; t < result.size(); ++t)
        for (std::size_t i = 0; i < as_size(k); ++i) {
          const std::int32_t entry = selected[t * as_size(k) + i];
          if (std::find(result[t].begin(), result[t].end(), entry) == result[t].end())
            result[t].push_back(entry);
        }
    }
    return result;
  }

  void expect_order(bool bf16_scores, const std::string& key) {
    const std::vector<float> scores = golden(key);
    const auto actual = orders(bf16_scores);
    for (std::size_t t = 0; t < actual.size(); ++t) {
      std::vector<std::int32_t> expected = ascending(11);
      std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
        return scores[t * 11 + as_size(a)] > scores[t * 11 + as_size(b)];
      });
      EXPECT_EQ(actual[t], expected) << key << " row " << t;
    }
  }
};

TEST_P(IndexGoldens, EntriesRankByTheirExactScores) { expect_order(false, "iscore.fp32"); }
TEST_P(IndexGoldens, EntriesRankByTheirBf16Scores) { expect_order(true, "iscore.official"); }

TEST(ReferenceIndexGoldens, Scores) {
  const GoldenFile goldens("tests/data/goldens/ops/ops.safetensors");
  const auto q = goldens.f32("iscore.q");
  const auto k = goldens.f32("iscore.k");
  const auto w = goldens.f32("iscore.w");
  for (const bool bf16 : {false, true}) {
    std::vector<float> scores;
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t j = 0; j < 11; ++j)
        scores.push_back(reference::index_score(q.data() + t * 256, w.data() + t * 8,
                                                k.data() + j * 32, 8, 32, bf16));
    EXPECT_TRUE(is_close(scores, goldens.f32(bf16 ? "iscore.official" : "iscore.fp32"), 2e-6));
  }
}

/// The selection goldens give scores; the op makes its own. Keys and queries are chosen so that
/// the scores it makes rank, and tie, as the given ones do.
class SelectGoldens : public OpGoldenSuite {
 protected:
  static constexpr std::int64_t kRows = 9;
  static constexpr std::int64_t kEntries = 23;

  void SetUp() override {
    const std::vector<float> scores = golden("select.scores");
    std::vector<float> q(kRows * 32);
    std::vector<float> keys(kRows * 24 * 32);
    for (std::size_t t = 0; t < kRows; ++t) {
      q[t * 32] = 8;
      q[t * 32 + 1] = 1;
      std::vector<float> levels(scores.begin() + static_cast<std::ptrdiff_t>(t * kEntries),
                                scores.begin() + static_cast<std::ptrdiff_t>((t + 1) * kEntries));
      std::sort(levels.begin(), levels.end());
      levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
      for (std::size_t j = 0; j < kEntries; ++j) {
        const auto level = static_cast<std::size_t>(
            std::lower_bound(levels.begin(), levels.end(), scores[t * kEntries + j]) -
            levels.begin());
        // Score 8 a + b rises with the level; all of a and b are on the FP4 grid.
        constexpr float kCoarse[] = {0, 1, 2, 3, 4, 6};
        float* key = keys.data() + (t * 24 + j) * 32;
        key[0] = kCoarse[level / 4];
        key[1] = static_cast<float>(level % 4);
        key[2] = 6;  // fixes the block's scale at 1
      }
    }
    std::vector<std::int32_t> visible;
    for (const std::int64_t entries : goldens().i64("select.vis"))
      visible.push_back(static_cast<std::int32_t>(entries));
    // Blocks of 8 entries, three per sequence.
    const auto record = static_cast<std::int64_t>(record_bytes(Quantiser::q4u, 32));
    operands_ = {
        fixture.activation("q", {kRows, 32}, q),
        fixture.activation("w", {kRows, 1}, std::vector<float>(kRows, 1)),
        fixture.view("keys", DType::u8, {kRows * 3, 8, record}, packed(Quantiser::q4u, keys, 32)),
        fixture.integers("blocks", {kRows, 3}, ascending(kRows * 3)),
        fixture.integers("slots", {kRows}, ascending(kRows)),
        fixture.integers("visible", {kRows}, visible)};
  }

  std::vector<Given> operands_;
};

TEST_P(SelectGoldens, TopK) {
  for (const int k : {1, 5, 8, 64}) {
    const std::string key = "select.top" + std::to_string(k);
    const std::vector<std::int32_t> expected = goldens().i32(key);
    const auto width = as_size(goldens().shape(key)[1]);
    const std::vector<std::int32_t> selected =
        fixture.run(backend(), IndexTopK{.heads = 1, .topk = k}, operands_).i32();
    for (std::size_t t = 0; t < kRows; ++t)
      for (std::size_t i = 0; i < as_size(k); ++i)
        EXPECT_EQ(selected[t * as_size(k) + i], i < width ? expected[t * width + i] : -1)
            << key << " row " << t << " place " << i;
  }
}

TEST_P(SelectGoldens, CandidateBlocks) {
  for (const auto& [size, count] : {std::pair{4, 2}, {8, 1}, {3, 4}, {8, 2048}}) {
    const std::string key =
        "select.candidates.b" + std::to_string(size) + "k" + std::to_string(count);
    const IndexTopK op{.heads = 1, .topk = 5, .block_size = size, .publish_blocks = count};
    const OpRun run = fixture.run(backend(), op, operands_);
    const std::vector<std::int32_t> blocks = run.i32(1);
    std::vector<std::uint8_t> mask(kRows * kEntries);
    for (std::size_t t = 0; t < kRows; ++t) {
      std::int32_t before = -1;
      bool ended = false;
      for (std::size_t i = 0; i < as_size(count); ++i) {
        const std::int32_t block = blocks[t * as_size(count) + i];
        ended = ended || block == -1;
        ASSERT_EQ(block == -1, ended) << key << " row " << t << ": -1 only behind the blocks";
        if (ended) continue;
        ASSERT_GT(block, before) << key << " row " << t << ": ascending";
        before = block;
        for (std::int32_t j = block * size; j < (block + 1) * size && j < kEntries; ++j)
          mask[t * kEntries + as_size(j)] = 1;
      }
    }
    EXPECT_EQ(mask, goldens().u8(key)) << key;
    // The publishing op's own list is not restricted by what it publishes.
    EXPECT_EQ(run.i32(0), goldens().i32("select.top5")) << key;
  }
}

TEST_P(SelectGoldens, CandidatesRestrictTheList) {
  const IndexTopK publish{.heads = 1, .topk = 5, .block_size = 4, .publish_blocks = 2};
  const std::vector<std::int32_t> blocks = fixture.run(backend(), publish, operands_).i32(1);
  operands_.push_back(fixture.integers("candidates", {kRows, 2}, blocks));
  const IndexTopK op{.heads = 1, .topk = 5, .block_size = 4};
  const std::vector<std::int32_t> selected = fixture.run(backend(), op, operands_).i32();

  std::vector<float> scores = golden("select.scores");
  const std::vector<std::uint8_t> mask = goldens().u8("select.candidates.b4k2");
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (mask[i] == 0) scores[i] = -kInfinity;
  std::vector<std::int32_t> expected(kRows * 5);
  std::vector<std::int32_t> order(kEntries);
  for (std::size_t t = 0; t < kRows; ++t)
    reference::select_top_k(scores.data() + t * kEntries, kEntries, 5, order.data(),
                            expected.data() + t * 5);
  EXPECT_EQ(selected, expected);
}

class CompressorGoldens : public OpGoldenSuite {
 protected:
  /// Feeds the 7 tokens as 3 + 1 + 2 + 1 and returns the pooled rows, in order.
  std::vector<float> pool(Rounding rounding) {
    constexpr std::int64_t kWidth = 64;
    const std::string tag = rounding == Rounding::bf16 ? "b" : "f";
    const std::vector<float> a = golden("comp.a");
    const std::vector<float> g = golden("comp.g");
    const Given state = fixture.view("state" + tag, DType::f32, {2, 2, kWidth});
    std::vector<float> pooled;
    int next = 0;
    for (const int tokens : {3, 1, 2, 1}) {
      const std::string step = tag + std::to_string(next);
      const auto part = [&](const std::vector<float>& all) {
        return std::vector<float>(all.begin() + next * kWidth,
                                  all.begin() + (next + tokens) * kWidth);
      };
      std::vector<std::int32_t> positions(as_size(tokens));
      std::iota(positions.begin(), positions.end(), next);
      std::vector<std::int32_t> previous(as_size(tokens));
      std::iota(previous.begin(), previous.end(), -1);
      const OpRun run =
          fixture.run(backend(), Compress{.rounding = rounding},
                      {fixture.activation("a" + step, {tokens, kWidth}, part(a)),
                       fixture.activation("g" + step, {tokens, kWidth}, part(g)), state,
                       fixture.integers("slots" + step, {tokens},
                                        std::vector<std::int32_t>(as_size(tokens), 1)),
                       fixture.integers("positions" + step, {tokens}, positions),
                       fixture.integers("previous" + step, {tokens}, previous)});
      fixture.keep(run);
      const std::vector<float> rows = run.f32();
      for (int t = 0; t < tokens; ++t)
        if (positions[as_size(t)] % 2 == 1)
          pooled.insert(pooled.end(), rows.begin() + t * kWidth, rows.begin() + (t + 1) * kWidth);
      next += tokens;
    }
    return pooled;
  }

  Given fixed(const std::string& name, const std::vector<float>& values) {
    return fixture.activation(name, {3, 64}, values);
  }

  /// Rotates latents at the first position of their group and stores them.
  std::vector<std::uint8_t> store(const std::string& latents, Rounding rounding) {
    const auto frequencies = std::make_shared<const std::vector<float>>(golden("comp.freqs"));
    const Given positions = fixture.integers("positions" + latents, {3}, {1, 3, 5});
    const Rope rope{
        .head_dim = 64, .frequencies = frequencies, .position_step = 2, .rounding = rounding};
    const std::vector<float> rotated =
        fixture.run(backend(), rope, {activation(latents), positions}).f32();
    const Given cache = fixture.view("cache" + latents, DType::u8, {1, 3, 36});
    const OpRun run = fixture.run(backend(), BlockWrite{.quantiser = Quantiser::q4e, .ratio = 2},
                                  {fixed("rotated" + latents, rotated), cache,
                                   fixture.integers("blocks" + latents, {1, 1}, {0}),
                                   fixture.integers("slots" + latents, {3}, {0, 0, 0}), positions});
    return run.view<std::uint8_t>(cache);
  }
};

TEST_P(CompressorGoldens, ProjectionsOfValueAndGate) {
  const Given x = activation("comp.x");
  expect_golden(fixture.run(backend(), Linear{}, {x, plain_weight("comp.wkv")}).f32(), "comp.a");
  expect_golden(fixture.run(backend(), Linear{}, {x, plain_weight("comp.wgate")}).f32(), "comp.g");
}

TEST_P(CompressorGoldens, PooledInPiecesThenNormalised) {
  const std::vector<float> pooled = pool(Rounding::none);
  expect_golden(pooled, "comp.pooled");
  const Given norm = plain_weight("comp.norm");
  expect_golden(
      fixture.run(backend(), RmsNorm{.eps = 1e-20F}, {fixed("pooled", pooled), norm}).f32(),
      "comp.latent_fp32");
  const RmsNorm official{.eps = 1e-20F, .rounding = Rounding::bf16};
  expect_golden(
      fixture.run(backend(), official, {fixed("rounded", pool(Rounding::bf16)), norm}).f32(),
      "comp.latent_official");
}

TEST_P(CompressorGoldens, RecordsOfTheRotatedLatents) {
  const std::vector<std::uint8_t> exact = store("comp.latent_fp32", Rounding::none);
  EXPECT_EQ(exact, goldens().u8("comp.record_fp32"));
  EXPECT_EQ(store("comp.latent_official", Rounding::bf16), goldens().u8("comp.record_official"));
  std::vector<float> values(3 * 64);
  for (std::size_t row = 0; row < 3; ++row)
    dequantise(Quantiser::q4e, exact.data() + row * 36, std::span(values).subspan(row * 64, 64));
  EXPECT_EQ(values, golden("comp.record_fp32_values"));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Backends, AttentionGoldens, testing::ValuesIn(backend_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Backends, IndexGoldens, testing::ValuesIn(backend_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Backends, SelectGoldens, testing::ValuesIn(backend_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Backends, CompressorGoldens, testing::ValuesIn(backend_names()),
                         test_name);

}  // namespace
}  // namespace deepinfer
