#include "backend/op_cases_test.h"

#include <cmath>

#include "backend/test_backends_test.h"

namespace deepinfer::test {
namespace {

// Row t is padding where t % 5 == 3. All others are rows of one sequence each, in a slot of its
// own, unless a case says otherwise.
bool is_padding(std::int64_t row) { return row % 5 == 3; }

/// They stay below `limit`.
std::vector<std::int32_t> positions(std::int64_t rows, int step = 11,
                                    std::int64_t limit = 1 << 20) {
  std::vector<std::int32_t> list;
  for (std::int64_t t = 0; t < rows; ++t)
    list.push_back(is_padding(t) ? -1 : static_cast<std::int32_t>((t * step + 1) % limit));
  return list;
}

/// Slot t for row t; padding rows point at a slot of nobody.
std::vector<std::int32_t> slots(std::int64_t rows) {
  std::vector<std::int32_t> list;
  for (std::int64_t t = 0; t < rows; ++t)
    list.push_back(static_cast<std::int32_t>(is_padding(t) ? rows : t));
  return list;
}

/// Blocks of `slots` sequences, none twice: block (b * slots + s) reversed; the last are nobody's.
std::vector<std::int32_t> block_table(std::int64_t slots, std::int64_t blocks) {
  std::vector<std::int32_t> table;
  for (std::int64_t s = 0; s < slots; ++s)
    for (std::int64_t b = 0; b < blocks; ++b)
      table.push_back(static_cast<std::int32_t>(slots * blocks - 1 - (b * slots + s)));
  return table;
}

/// Codes and scales drawn by `quantise` from random values: records as a cache holds them.
std::vector<std::uint8_t> records(Quantiser quantiser, std::int64_t count, std::size_t width) {
  std::mt19937_64 random(static_cast<std::uint64_t>(count) * 31 + width);
  std::normal_distribution<float> normal(0, 1);
  const std::size_t bytes = record_bytes(quantiser, width);
  std::vector<std::uint8_t> all(static_cast<std::size_t>(count) * bytes);
  std::vector<float> values(width);
  for (std::int64_t i = 0; i < count; ++i) {
    for (float& value : values) value = normal(random);
    quantise(quantiser, values, all.data() + static_cast<std::size_t>(i) * bytes);
  }
  return all;
}

Given ring_of(OpFixture& f, std::int64_t slots, std::int64_t ring, std::size_t width) {
  return f.view("swa_cache", DType::u8,
                {slots, ring, static_cast<std::int64_t>(record_bytes(Quantiser::q8, width))},
                records(Quantiser::q8, slots * ring, width));
}

Given blocks_of(OpFixture& f, Quantiser quantiser, std::int64_t blocks, std::int64_t entries,
                std::size_t width) {
  return f.view("cache", DType::u8,
                {blocks, entries, static_cast<std::int64_t>(record_bytes(quantiser, width))},
                records(quantiser, blocks * entries, width));
}

Frequencies some_frequencies(int pairs) {
  std::vector<float> list;
  list.reserve(static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; ++i) list.push_back(1.0F / static_cast<float>(1 + i * i));
  return std::make_shared<const std::vector<float>>(std::move(list));
}

BuiltCase embedding(OpFixture& f, std::int64_t rows) {
  std::vector<std::int32_t> ids;
  for (std::int64_t t = 0; t < rows; ++t) ids.push_back(static_cast<std::int32_t>(t * 7 % 19));
  return {Embedding{.streams = 4},
          {f.integers("ids", {rows}, ids), f.weight("table", WeightFormat::plain, {19, 48})}};
}

BuiltCase engram_lookup(OpFixture& f, std::int64_t rows) {
  return {EngramLookup{.head_dim = 64},
          {f.bytes("rows", {rows, 3, 66}, records(Quantiser::q8, rows * 3, 64))}};
}

template <Rounding kRounding>
BuiltCase engram_gate(OpFixture& f, std::int64_t rows) {
  return {
      EngramGate{.eps = 1e-6F, .rounding = kRounding},
      {f.activation("streams", {rows, 4, 40}), f.activation("kv", {rows, 5 * 40}),
       f.weight("qw", WeightFormat::plain, {4, 40}), f.weight("kw", WeightFormat::plain, {4, 40})}};
}

BuiltCase hc_mix(OpFixture& f, std::int64_t rows) {
  return {HcMix{.sinkhorn_iters = 20, .hc_eps = 1e-6F, .eps = 1e-6F},
          {f.activation("streams", {rows, 4, 40}), f.weight("fn", WeightFormat::plain, {24, 160}),
           f.plain_weight("scale", {3}, {0.5F, 0.25F, 2}),
           f.weight("base", WeightFormat::plain, {24})}};
}

template <Rounding kRounding>
BuiltCase hc_collapse(OpFixture& f, std::int64_t rows) {
  return {HcCollapse{.rounding = kRounding},
          {f.activation("streams", {rows, 4, 40}), f.activation("pre", {rows, 4})}};
}

BuiltCase hc_collapse_norm(OpFixture& f, std::int64_t rows) {
  return {HcCollapseNorm{.collapse = {}, .norm = {.eps = 1e-6F}},
          {f.activation("streams", {rows, 4, 40}), f.activation("pre", {rows, 4}),
           f.weight("w", WeightFormat::plain, {40})}};
}

template <Rounding kRounding>
BuiltCase hc_expand(OpFixture& f, std::int64_t rows) {
  return {HcExpand{.rounding = kRounding},
          {f.activation("y", {rows, 40}), f.activation("streams", {rows, 4, 40}),
           f.activation("post", {rows, 4}), f.activation("comb", {rows, 4, 4})}};
}

template <Rounding kRounding>
BuiltCase rms_norm(OpFixture& f, std::int64_t rows) {
  return {RmsNorm{.eps = 1e-6F, .rounding = kRounding},
          {f.activation("x", {rows, 72}), f.weight("w", WeightFormat::plain, {72})}};
}

template <bool kInverse, Rounding kRounding>
BuiltCase rope(OpFixture& f, std::int64_t rows) {
  return {Rope{.head_dim = 24,
               .frequencies = some_frequencies(8),
               .position_step = kInverse ? 1 : 2,
               .inverse = kInverse,
               .rounding = kRounding},
          {f.activation("x", {rows, 72}), f.integers("at", {rows}, positions(rows, 97))}};
}

BuiltCase rms_norm_rope(OpFixture& f, std::int64_t rows) {
  return {RmsNormRope{.norm = {.eps = 1e-6F},
                      .rope = {.head_dim = 16, .frequencies = some_frequencies(8)}},
          {f.activation("x", {rows, 48}), f.weight("w", WeightFormat::plain, {48}),
           f.integers("at", {rows}, positions(rows))}};
}

template <WeightFormat kFormat, Rounding kRounding>
BuiltCase linear(OpFixture& f, std::int64_t rows) {
  return {Linear{.quantise_input = kRounding == Rounding::bf16, .rounding = kRounding},
          {f.activation("x", {rows, 96}), f.weight("w", kFormat, {72, 96})}};
}

template <DType kType>
BuiltCase plain_linear(OpFixture& f, std::int64_t rows) {
  std::vector<float> values;
  values.reserve(40 * 24);
  for (int i = 0; i < 40 * 24; ++i) values.push_back(static_cast<float>(i % 37 - 18) / 16);
  return {Linear{}, {f.activation("x", {rows, 40}), f.plain_weight("w", {24, 40}, values, kType)}};
}

BuiltCase ragged_linear(OpFixture& f, std::int64_t rows) {  // no whole tile at either end
  return {Linear{}, {f.activation("x", {rows, 40}), f.weight("w", WeightFormat::fp8, {50, 40})}};
}

BuiltCase linear_group(OpFixture& f, std::int64_t rows) {
  return {
      LinearGroup{.linear = {.quantise_input = true}},
      {f.activation("x", {rows, 64}), f.weight("w0", WeightFormat::fp8, {40, 64}),
       f.weight("w1", WeightFormat::fp8, {32, 64}), f.weight("w2", WeightFormat::fp8, {7, 64})}};
}

template <WeightFormat kFormat, Rounding kRounding>
BuiltCase grouped_linear(OpFixture& f, std::int64_t rows) {
  return {GroupedLinear{.groups = 4, .rounding = kRounding},
          {f.activation("x", {rows, 4 * 64}), f.weight("w", kFormat, {4 * 24, 64})}};
}

template <Rounding kRounding>
BuiltCase scale(OpFixture& f, std::int64_t rows) {
  return {Scale{.factor = 0.0883883F, .rounding = kRounding}, {f.activation("x", {rows, 33})}};
}

/// Blocks of every magnitude: subnormal codes, ties, zeros of both signs, saturation.
Given graded(OpFixture& f, std::int64_t rows) {
  std::vector<float> values;
  for (std::int64_t t = 0; t < rows; ++t)
    for (int i = 0; i < 128; ++i) {
      const float step = static_cast<float>((i * 29 + t * 13) % 64 - 32) / 8;
      values.push_back(i == 40 ? -0.0F
                               : step * std::ldexp(1.0F, static_cast<int>(i / 16 * 3 - 14)));
    }
  return f.activation("x", {rows, 128}, values);
}

template <Quantiser kQuantiser>
BuiltCase fake_quantise(OpFixture& f, std::int64_t rows) {
  return {FakeQuantise{.quantiser = kQuantiser}, {graded(f, rows)}};
}

BuiltCase window_write(OpFixture& f, std::int64_t rows) {
  return {WindowWrite{},
          {graded(f, rows), ring_of(f, rows + 1, 9, 128), f.integers("slots", {rows}, slots(rows)),
           f.integers("at", {rows}, positions(rows))}};
}

BuiltCase window_write_nothing(OpFixture& f, std::int64_t rows) {
  return {
      WindowWrite{},
      {graded(f, rows), ring_of(f, 3, 9, 128),
       f.integers("slots", {rows}, std::vector<std::int32_t>(static_cast<std::size_t>(rows), 2)),
       f.integers("at", {rows}, std::vector<std::int32_t>(static_cast<std::size_t>(rows), -1))}};
}

template <Quantiser kQuantiser, int kRatio>
BuiltCase block_write(OpFixture& f, std::int64_t rows) {
  return {BlockWrite{.quantiser = kQuantiser, .ratio = kRatio},
          {graded(f, rows), blocks_of(f, kQuantiser, (rows + 1) * 5, 16, 128),
           f.integers("table", {rows + 1, 5}, block_table(rows + 1, 5)),
           f.integers("slots", {rows}, slots(rows)),
           f.integers("at", {rows}, positions(rows, 13, 5 * 16))}};
}

/// Rows of two sequences and padding: pairs within the step, across steps, and left open.
template <Rounding kRounding>
BuiltCase compress(OpFixture& f, std::int64_t rows) {
  std::vector<std::int32_t> slot;
  std::vector<std::int32_t> at;
  std::vector<std::int32_t> previous;
  for (std::int64_t t = 0; t < rows; ++t) {
    const bool first = t < rows / 2;
    const bool padding = t + 1 == rows && rows > 2;
    slot.push_back(padding ? 3 : first ? 2 : 0);
    at.push_back(static_cast<std::int32_t>(padding ? -1 : first ? 7 + t : 20 + t - rows / 2));
    const bool begins = t == 0 || t == rows / 2 || padding;
    previous.push_back(static_cast<std::int32_t>(begins ? -1 : t - 1));
  }
  std::vector<float> state;
  state.reserve(4 * 2 * 24);
  for (int i = 0; i < 4 * 2 * 24; ++i) state.push_back(static_cast<float>(i % 17 - 8) / 4);
  return {Compress{.rounding = kRounding},
          {f.activation("a", {rows, 24}), f.activation("g", {rows, 24}),
           f.view("ca_state", DType::f32, {4, 2, 24}, state), f.integers("slots", {rows}, slot),
           f.integers("at", {rows}, at), f.integers("previous", {rows}, previous)}};
}

template <int kRatio>
BuiltCase visible_entries(OpFixture& f, std::int64_t rows) {
  std::vector<std::int32_t> at = positions(rows);
  at.front() = 2147483647;
  return {VisibleEntries{.ratio = kRatio},
          {f.integers("at", {rows}, at), f.derived("visible", {rows})}};
}

std::vector<std::int32_t> visible(std::int64_t rows) {
  std::vector<std::int32_t> list;
  for (std::int64_t t = 0; t < rows; ++t)
    list.push_back(is_padding(t) ? 0 : static_cast<std::int32_t>(1 + t * 23 % 48));
  return list;
}

template <int kPublish, bool kCandidates, bool kBf16>
BuiltCase index_top_k(OpFixture& f, std::int64_t rows) {
  BuiltCase built{
      IndexTopK{.heads = 4,
                .topk = 12,
                .bf16_scores = kBf16,
                .block_size = 4,
                .publish_blocks = kPublish},
      {f.activation("q", {rows, 4 * 32}), f.activation("weights", {rows, 4}),
       blocks_of(f, Quantiser::q4u, (rows + 1) * 3, 16, 32),
       f.integers("table", {rows + 1, 3}, block_table(rows + 1, 3)),
       f.integers("slots", {rows}, slots(rows)), f.integers("visible", {rows}, visible(rows))}};
  if (kCandidates) {
    std::vector<std::int32_t> candidates;
    for (std::int64_t t = 0; t < rows; ++t)
      for (std::int64_t c = 0; c < 4; ++c)
        candidates.push_back(static_cast<std::int32_t>(c == 3 ? -1 : 2 * c + t % 4));
    built.operands.push_back(f.integers("candidates", {rows, 4}, candidates));
  }
  return built;
}

BuiltCase index_top_k_of_few(OpFixture& f, std::int64_t rows) {  // more asked for than can be there
  BuiltCase built = index_top_k<0, false, false>(f, rows);
  std::get<IndexTopK>(built.op).topk = 60;
  return built;
}

template <bool kBlocks, bool kOnline>
BuiltCase sparse_attention(OpFixture& f, std::int64_t rows) {
  BuiltCase built{
      SparseAttention{.heads = 4,
                      .window = 70,
                      .softmax_scale = 0.25F,
                      .online_bf16 = kOnline,
                      .rounding = kOnline ? Rounding::bf16 : Rounding::none},
      {f.activation("q", {rows, 4 * 32}), ring_of(f, rows + 1, 80, 32),
       f.integers("slots", {rows}, slots(rows)), f.integers("at", {rows}, positions(rows, 29)),
       f.weight("sink", WeightFormat::plain, {4})}};
  if (!kBlocks) return built;
  std::vector<std::int32_t> selected;
  for (std::int64_t t = 0; t < rows; ++t)
    for (std::int64_t i = 0; i < 20; ++i)
      selected.push_back(
          static_cast<std::int32_t>(is_padding(t) || i > 2 + t * 4 ? -1 : i * 2 + t % 3));
  built.operands.push_back(blocks_of(f, Quantiser::q4e, (rows + 1) * 3, 16, 32));
  built.operands.push_back(f.integers("table", {rows + 1, 3}, block_table(rows + 1, 3)));
  built.operands.push_back(f.integers("selected", {rows, 20}, selected));
  return built;
}

template <ScoringFunc kScoring>
BuiltCase router(OpFixture& f, std::int64_t rows) {
  return {Router{.experts_per_token = 3,
                 .scoring = kScoring,
                 .temperature = 1.25F,
                 .normalise = kScoring != ScoringFunc::softmax,
                 .route_scale = 2.5F},
          {f.activation("logits", {rows, 16}), f.weight("bias", WeightFormat::plain, {16})}};
}

/// `experts` decides the way: few are run over all rows, of many only the chosen.
template <std::int64_t kExperts, WeightFormat kFormat, Rounding kRounding>
BuiltCase moe(OpFixture& f, std::int64_t rows) {
  std::vector<std::int32_t> chosen;
  std::vector<float> weights;
  for (std::int64_t t = 0; t < rows; ++t)
    for (std::int64_t k = 0; k < 3; ++k) {
      chosen.push_back(static_cast<std::int32_t>((t * 5 + k * 3 + 1) % kExperts));
      weights.push_back(0.25F * static_cast<float>(k + 1));
    }
  const bool official = kRounding == Rounding::bf16;
  return {
      Moe{.swiglu_limit = official ? 1.5F : 0.0F,
          .quantise_input = official,
          .rounding = kRounding},
      {f.activation("x", {rows, 64}), f.integers("experts", {rows, 3}, chosen),
       f.activation("weights", {rows, 3}, weights), f.integers("at", {rows}, positions(rows)),
       f.weight("w1", kFormat, {kExperts, 32, 64}), f.weight("w3", kFormat, {kExperts, 32, 64}),
       f.weight("w2", kFormat, {kExperts, 64, 32}), f.weight("s1", WeightFormat::fp8, {32, 64}),
       f.weight("s3", WeightFormat::fp8, {32, 64}), f.weight("s2", WeightFormat::fp8, {64, 32})}};
}

BuiltCase lm_head(OpFixture& f, std::int64_t rows) {
  std::vector<std::int32_t> wants;
  for (std::int64_t t = 0; t < rows; ++t) wants.push_back(t % 2 == 0 ? 1 : 0);
  return {LmHead{},
          {f.activation("h", {rows, 48}), f.weight("w", WeightFormat::plain, {101, 48}),
           f.integers("wants", {rows}, wants)}};
}

}  // namespace

std::vector<OpCase> op_cases() {
  constexpr Rounding kNone = Rounding::none;
  constexpr Rounding kBf16 = Rounding::bf16;
  using enum WeightFormat;
  return {
      {"embedding", &embedding},
      {"engram_lookup", &engram_lookup},
      {"engram_gate", &engram_gate<kNone>},
      {"engram_gate_bf16", &engram_gate<kBf16>, true},
      {"hc_mix", &hc_mix},
      {"hc_collapse", &hc_collapse<kNone>},
      {"hc_collapse_bf16", &hc_collapse<kBf16>, true},
      {"hc_collapse_norm", &hc_collapse_norm},
      {"hc_expand", &hc_expand<kNone>},
      {"hc_expand_bf16", &hc_expand<kBf16>, true},
      {"rms_norm", &rms_norm<kNone>},
      {"rms_norm_bf16", &rms_norm<kBf16>, true},
      {"rms_norm_rope", &rms_norm_rope},
      {"rope", &rope<false, kNone>},
      {"rope_inverse_bf16", &rope<true, kBf16>, true},
      {"linear_plain", &linear<plain, kNone>},
      {"linear_f32", &plain_linear<DType::f32>},
      {"linear_f16", &plain_linear<DType::f16>},
      {"linear_fp8", &linear<fp8, kNone>},
      {"linear_fp4", &linear<fp4, kNone>},
      {"linear_fp8_bf16", &linear<fp8, kBf16>, true},
      {"linear_fp4_bf16", &linear<fp4, kBf16>, true},
      {"linear_ragged", &ragged_linear},
      {"linear_group", &linear_group},
      {"grouped_linear_plain", &grouped_linear<plain, kNone>},
      {"grouped_linear_fp8_bf16", &grouped_linear<fp8, kBf16>, true},
      {"scale", &scale<kNone>},
      {"scale_bf16", &scale<kBf16>, true},
      {"fake_quantise_q8", &fake_quantise<Quantiser::q8>},
      {"fake_quantise_q4u", &fake_quantise<Quantiser::q4u>},
      {"fake_quantise_q4e", &fake_quantise<Quantiser::q4e>},
      {"window_write", &window_write},
      {"window_write_nothing", &window_write_nothing},
      {"block_write_q4e", &block_write<Quantiser::q4e, 1>},
      {"block_write_q4u", &block_write<Quantiser::q4u, 4>},
      {"block_write_ratio_2", &block_write<Quantiser::q4e, 2>},
      {"compress", &compress<kNone>},
      {"compress_bf16", &compress<kBf16>, true},
      {"visible_entries", &visible_entries<1>},
      {"visible_entries_ratio_4", &visible_entries<4>},
      {"index_top_k", &index_top_k<0, false, false>},
      {"index_top_k_bf16", &index_top_k<0, false, true>},
      {"index_top_k_publishes", &index_top_k<5, false, false>},
      {"index_top_k_candidates", &index_top_k<0, true, false>},
      {"index_top_k_of_few", &index_top_k_of_few},
      {"sparse_attention_window", &sparse_attention<false, false>},
      {"sparse_attention", &sparse_attention<true, false>},
      {"sparse_attention_official", &sparse_attention<true, true>, true},
      {"router_sqrtsoftplus", &router<ScoringFunc::sqrtsoftplus>},
      {"router_sigmoid", &router<ScoringFunc::sigmoid>},
      {"router_softmax", &router<ScoringFunc::softmax>},
      {"moe_few_fp8", &moe<4, fp8, kNone>},
      {"moe_many_fp4", &moe<40, fp4, kNone>},
      {"moe_few_fp4_bf16", &moe<4, fp4, kBf16>, true},
      {"moe_many_plain_bf16", &moe<40, plain, kBf16>, true},
      {"lm_head", &lm_head},
  };
}

std::int64_t random_rows() {
  std::random_device random;
  return static_cast<std::int64_t>(1 + random() % 40);
}

Graph graph_of(OpFixture& fixture, const BuiltCase& built, std::int64_t rows) {
  fixture.begin_graph();
  GraphBuilder builder(static_cast<int>(rows));
  std::vector<ValueId> ids;
  ids.reserve(built.operands.size());
  for (const Given given : built.operands) ids.push_back(fixture.declare(builder, given));
  const std::vector<ValueId> results = builder.add_all(built.op, ids, {"r0", "r1", "r2", "r3"});
  for (std::size_t i = 0; i < results.size(); ++i)
    builder.output("r" + std::to_string(i), results[i]);
  return builder.finish();
}

void expect_like_reference(Backend& backend, const OpCase& op_case, std::int64_t rows,
                           GraphMode mode) {
  // Products and sums are in fp32, as those of the cpu backend.
  constexpr const char* kLikeCpu = "scalar";
  SCOPED_TRACE(op_case.name + ", " + std::to_string(rows) + " rows");
  OpFixture fixture;
  const BuiltCase built = op_case.build(fixture, rows);
  const auto reference = backend_named("reference");
  const OpRun actual = fixture.run(backend, built.op, built.operands, mode);
  const OpRun expected = fixture.run(*reference, built.op, built.operands, mode);
  const Graph graph = graph_of(fixture, built, rows);
  ASSERT_EQ(actual.results(), expected.results());
  for (std::size_t r = 0; r < expected.results(); ++r) {
    if (graph.value(graph.outputs[r].value).dtype == DType::i32) {
      EXPECT_EQ(actual.i32(r), expected.i32(r)) << "result " << r;
      continue;
    }
    EXPECT_TRUE(is_close(actual.f32(r), expected.f32(r),
                         op_case.bf16 ? bf16_tolerance_of(kLikeCpu) : tolerance_of(kLikeCpu)))
        << "result " << r;
  }
  // Quantised records and states are exact: they are made of values that both were given.
  for (std::size_t i = 0; i < built.operands.size(); ++i) {
    if (static_cast<int>(i) != written_operand(built.op)) continue;
    EXPECT_EQ(actual.view<std::uint8_t>(built.operands[i]),
              expected.view<std::uint8_t>(built.operands[i]));
  }
}

}  // namespace deepinfer::test
