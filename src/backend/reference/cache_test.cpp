#include "backend/reference/reference_test.h"
#include "core/quantise.h"

namespace deepinfer::reference {
namespace {

using ReferenceCache = ReferenceOp;
using Bytes = std::vector<std::uint8_t>;

/// One Q8 record of 32 channels whose first is `value`.
Bytes q8_record(float value) {
  Bytes record(33);
  quantise(Quantiser::q8, padded({value}, 32), record.data());
  return record;
}

Bytes part(const Bytes& bytes, std::size_t index, std::size_t size) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(index * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

TEST_F(ReferenceCache, WindowEntryOfAPositionIsPositionModRing) {
  Floats kv(3 * 32);
  kv[0] = 1;
  kv[32] = 2;
  kv[64] = 3;
  const Given ring = f.view("ring", DType::u8, {2, 4, 33}, Bytes(2 * 4 * 33, 0x55));
  const Bytes after = run(WindowWrite{}, {f.activation("kv", {3, 32}, kv), ring,
                                          f.integers("slots", {3}, {1, 0, 0}),
                                          f.integers("positions", {3}, {6, 4, -1})})
                          .view<std::uint8_t>(ring);
  for (std::size_t entry = 0; entry < 8; ++entry) {
    const Bytes expected = entry == 4 + 2 ? q8_record(1)
                           : entry == 0   ? q8_record(2)
                                          : Bytes(33, 0x55);
    EXPECT_EQ(part(after, entry, 33), expected) << entry;
  }
}

TEST_F(ReferenceCache, BlockWriteStoresAtTheEndOfAGroupThroughTheBlockTable) {
  // Ratio 2, blocks of 2 entries: position 5 ends group 2, the first entry of the second block.
  Floats values(3 * 32);
  values[0] = 1;
  values[32] = 2;
  values[64] = 3;
  const Given cache = f.view("cache", DType::u8, {4, 2, 18}, Bytes(4 * 2 * 18, 0x55));
  const Bytes after =
      run(BlockWrite{.quantiser = Quantiser::q4e, .ratio = 2},
          {f.activation("values", {3, 32}, values), cache,
           f.integers("blocks", {2, 2}, {9, 9, 1, 3}), f.integers("slots", {3}, {1, 1, 1}),
           f.integers("positions", {3}, {4, 5, -1})})
          .view<std::uint8_t>(cache);
  Bytes record(18);
  quantise(Quantiser::q4e, padded({2}, 32), record.data());
  for (std::size_t entry = 0; entry < 8; ++entry)
    EXPECT_EQ(part(after, entry, 18), entry == 3 * 2 ? record : Bytes(18, 0x55)) << entry;
}

TEST_F(ReferenceCache, CompressWeighsByTheGateAndKeepsAHalfGroup) {
  // Slot 0 has position 0 pending: a = 1, g = 0. Position 1: a = 3, g = 0: the mean, 2. Then
  // position 2 is left pending. Slot 1: positions 0 and 1 in one step, the second gate far ahead.
  Floats pending(2 * 2 * 1);
  pending[0] = 1;
  const Given state = f.view("state", DType::f32, {2, 2, 1}, pending);
  const OpRun result = run(Compress{}, {f.activation("a", {5, 1}, {3, 7, 10, 20, 5}),
                                        f.activation("g", {5, 1}, {0, 0.5F, 0, 200, 0}), state,
                                        f.integers("slots", {5}, {0, 0, 1, 1, 0}),
                                        f.integers("positions", {5}, {1, 2, 0, 1, -1}),
                                        f.integers("previous", {5}, {-1, 0, -1, 2, -1})});
  EXPECT_EQ(result.f32(), (Floats{2, 0, 0, 20, 0}));
  EXPECT_EQ(result.view<float>(state), (Floats{7, 0.5F, 0, 0}));
}

class ReferenceIndex : public ReferenceOp {
 protected:
  /// Keys with first channel 0 … 6 along the FP4 grid, one block; one head with q = weight = 1.
  std::vector<Given> operands(const Floats& first, const Ints& visible) {
    Bytes keys;
    for (const float value : first) {
      Bytes record(17);
      quantise(Quantiser::q4u, padded({value, 6}, 32), record.data());  // 6 fixes the scale
      keys.insert(keys.end(), record.begin(), record.end());
    }
    const auto rows = static_cast<std::int64_t>(visible.size());
    Floats q(visible.size() * 32);
    for (std::size_t t = 0; t < visible.size(); ++t) q[t * 32] = 1;
    return {f.activation("q", {rows, 32}, q),
            f.activation("weights", {rows, 1}, Floats(visible.size(), 1)),
            f.view("keys", DType::u8, {1, static_cast<std::int64_t>(first.size()), 17}, keys),
            f.integers("blocks", {1, 1}, {0}),
            f.integers("slots", {rows}, Ints(visible.size())),
            f.integers("visible", {rows}, visible)};
  }
};

TEST_F(ReferenceIndex, OnlyVisibleEntriesAscendingTiesToTheLower) {
  const auto in = operands({1, 6, 4, 4, 4}, {5, 3, 0, 0});
  const IndexTopK op{.heads = 1, .topk = 3};
  EXPECT_EQ(run(op, in).i32(), (Ints{1, 2, 3, 0, 1, 2, -1, -1, -1, -1, -1, -1}));
}

TEST_F(ReferenceIndex, NewestBlockIsPinnedAndCandidatesRestrict) {
  auto in = operands({6, 0, 4, 3, 1, 0}, {6});
  const IndexTopK publish{.heads = 1, .topk = 2, .block_size = 2, .publish_blocks = 2};
  const OpRun published = run(publish, in);
  EXPECT_EQ(published.i32(0), (Ints{0, 2}));
  EXPECT_EQ(published.i32(1), (Ints{0, 2})) << "blocks of score 6 and, pinned, of score 1";
  in.push_back(f.integers("candidates", {1, 2}, {2, -1}));
  EXPECT_EQ(run(IndexTopK{.heads = 1, .topk = 3, .block_size = 2}, in).i32(), (Ints{4, 5, -1}));
}

TEST_F(ReferenceCache, AttentionOverTheWindowAndSelectedEntries) {
  // Equal scores (q = 0): the mean of all entries seen and the sink's share of nothing.
  Bytes ring;
  for (const float value : {1.0F, 2.0F, 4.0F}) {
    const Bytes record = q8_record(value);
    ring.insert(ring.end(), record.begin(), record.end());
  }
  Bytes entries(2 * 18);
  quantise(Quantiser::q4e, padded({6}, 32), entries.data() + 18);
  const std::vector<Given> in = {f.activation("q", {3, 32}, Floats(3 * 32)),
                                 f.view("ring", DType::u8, {1, 3, 33}, ring),
                                 f.integers("slots", {3}, {0, 0, 0}),
                                 f.integers("positions", {3}, {4, 0, -1}),
                                 f.plain_weight("sink", {1}, {0}),
                                 f.view("cache", DType::u8, {1, 2, 18}, entries),
                                 f.integers("blocks", {1, 1}, {0}),
                                 f.integers("selected", {3, 2}, {1, -1, -1, -1, -1, -1})};
  for (const bool online : {false, true}) {
    const SparseAttention op{.heads = 1, .window = 2, .softmax_scale = 1, .online_bf16 = online};
    const Floats o = run(op, in).f32();
    // Row 0: positions 3 and 4 (ring entries 0 and 1) and entry 1; row 1: position 0 alone.
    EXPECT_EQ(o[0], (1 + 2 + 6) / 4.0F);
    EXPECT_EQ(o[32], 1 / 2.0F);
    EXPECT_EQ(o[64], 0);
  }
}

TEST_F(ReferenceCache, EngramLookupScalesPer32Columns) {
  Bytes row(66, 0x38);  // E4M3 1.0
  row[64] = 128;
  row[65] = 126;
  Floats expected(64, 2);
  std::fill(expected.begin() + 32, expected.end(), 0.5F);
  EXPECT_EQ(run(EngramLookup{.head_dim = 64}, {f.bytes("rows", {1, 1, 66}, row)}).f32(), expected);
}

TEST_F(ReferenceCache, EngramGateOfOrthogonalKeyUsesTheFloor) {
  // dot = 0: sqrt(1e-6) with the sign of zero: sigmoid(0.001).
  const OpRun result = run(
      EngramGate{}, {f.activation("x", {1, 1, 2}, {1, 0}), f.activation("kv", {1, 4}, {0, 1, 2, 4}),
                     f.plain_weight("qw", {1, 2}, {1, 1}), f.plain_weight("kw", {1, 2}, {1, 1})});
  const float gate = 0.50025F;
  EXPECT_NEAR(result.f32(1)[0], gate, 1e-7);
  EXPECT_NEAR(result.f32(0)[0], 1 + 2 * gate, 1e-6);
  EXPECT_NEAR(result.f32(0)[1], 4 * gate, 1e-6);
}

}  // namespace
}  // namespace deepinfer::reference
