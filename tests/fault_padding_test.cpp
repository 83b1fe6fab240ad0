// Faults A1 to A4, A15, C1 and C3: what padding rows and live rows of a step's metadata may touch.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <tuple>

#include "model/step_graph.h"
#include "model/step_inputs.h"
#include "runner/step_input.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

using Bytes = std::vector<std::byte>;

void fill_root(Runtime& runtime, CacheRoot root, std::byte value) {
  std::memset(runtime.caches().root(root), static_cast<int>(value),
              static_cast<std::size_t>(runtime.caches().layout().root_bytes(root)));
}

/// Backend and graph mode.
class PaddingOnly : public testing::TestWithParam<std::tuple<std::string, GraphMode>> {};

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

TEST_P(PaddingOnly, A1_padding_only_steps_give_finite_rows_at_every_size) {
  const auto& [backend, mode] = GetParam();
  Options options = test_options(backend);
  options.graph_mode = mode;
  options.max_batch = 32;
  options.prefill_bucket = 48;
  const auto runtime = open_runtime("t41", options, true);
  GraphRunner& runner = runtime->runner();
  ASSERT_EQ(runner.graphs(), (std::vector<int>{1, 2, 4, 8, 16, 32, 48}));
  const PrepareInput prepare = make_prepare_input(runtime->model(), runtime->caches());
  const SequenceMetadata padding = padding_sequence(runtime->caches().layout().geometry());
  for (const int size : runner.graphs()) {
    CapturedGraph& graph = runner.graph_for(size);
    for (int live = 0; live <= 1; ++live) {  // no live row, then one of a sequence of length 1
      StepScript script(*runtime);
      script.open({5});
      if (live == 0)
        prepare({&padding, 1}, runner.input(graph));
      else
        prepare(script.metadata({{0, 1}}), runner.input(graph));
      const StepOutput output = runner.replay(graph);
      for (int row = live; row < size; ++row) {
        const auto logits = output.logits(row);
        ASSERT_EQ(std::count(logits.begin(), logits.end(), 0.0F), std::ssize(logits))
            << "row " << row << ", size " << size;
      }
      for (int layer = 0; layer < runtime->model().config().num_hidden_layers; ++layer)
        for (const char* name : {"streams", "attn_out", "ffn_out"})
          ASSERT_TRUE(all_finite(output.traced_f32("layer." + std::to_string(layer) + "." + name)))
              << name << " of layer " << layer << ", size " << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, PaddingOnly,
                         testing::Combine(testing::Values("reference", "cpu"),
                                          testing::Values(GraphMode::whole, GraphMode::regions)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::string(name_of(std::get<1>(info.param)));
                         });

/// Where a row of a step may write.
struct OwnEntry {
  CacheRoot root;
  std::int64_t offset;  ///< from the root's start
  std::int64_t bytes;
  std::string column;
};

struct LiveRow {
  std::size_t sequence;
  std::int64_t position;
};

/// The entry of each row's own position in every column that has one (model specification 5): the
/// ring's, the group's that ends there, and the pending row of a group that begins there.
std::vector<OwnEntry> own_entries(Runtime& runtime, const StepScript& script,
                                  const std::vector<LiveRow>& rows) {
  const ModelConfig& config = runtime.model().config();
  std::vector<OwnEntry> entries;
  for (const CacheColumn& column : runtime.caches().layout().columns()) {
    const Shape& shape = column.recipe.shape;
    for (const auto& [sequence, position] : rows) {
      const SequenceCache& cache = script.cache(sequence);
      const int ratio = config.ratio(column.layer);
      std::int64_t row = cache.slot();
      std::int64_t first = position % shape[1];  // of the ring
      std::int64_t count = 1;
      if (column.kind == CacheKind::ca_state) {
        if (position % ratio != 0) continue;
        first = 0;
        count = shape[1];
      } else if (column.kind != CacheKind::swa_cache) {
        if (position % ratio != ratio - 1) continue;
        const std::int64_t group = position / ratio;
        row = cache.blocks()[static_cast<std::size_t>(group / shape[1])];
        first = group % shape[1];
      }
      const std::int64_t entry = column.recipe.column_bytes() / shape[1];
      entries.push_back(
          {.root = column.recipe.root,
           .offset = column.recipe.offset + row * column.recipe.row_bytes + first * entry,
           .bytes = count * entry,
           .column = column.name});
    }
  }
  return entries;
}

class Padding : public testing::TestWithParam<std::string> {};

TEST_P(Padding, A4_padding_never_writes_a_live_slot) {
  constexpr auto kPattern = std::byte{0x5a};
  for (const Layout order : {Layout::block_major, Layout::layer_major}) {
    Options options = test_options(GetParam());
    options.max_batch = 8;
    options.prefill_bucket = 8;
    options.block_tokens = 4;
    options.layout = order;
    const auto runtime = open_runtime("t41", options);
    // Eight sequences own rows; three of them run one token each in the size of eight: at the
    // start, in a second block, and after the window ring has wrapped.
    StepScript script(*runtime);
    for (std::size_t i = 0; i < 8; ++i) script.open(random_tokens(i, 24));
    const std::vector<LiveRow> live = {{1, 0}, {4, 7}, {6, 22}};
    std::vector<StepScript::Part> parts;
    for (const LiveRow& row : live) {
      script.skip({row.sequence, static_cast<int>(row.position)});
      parts.push_back({row.sequence, 1});
    }
    for (const CacheRoot root : runtime->caches().layout().roots())
      fill_root(*runtime, root, kPattern);
    CapturedGraph& graph = runtime->runner().graph_for(8);
    make_prepare_input(runtime->model(), runtime->caches())(script.metadata(parts),
                                                            runtime->runner().input(graph));
    runtime->runner().replay(graph);

    // Padding rows write nothing at all, so that not even the scratch rows may differ.
    const std::vector<OwnEntry> own = own_entries(*runtime, script, live);
    ASSERT_GT(own.size(), 3U * 10);  // a window entry in every layer, and more
    for (const CacheRoot root : runtime->caches().layout().roots()) {
      const std::byte* data = runtime->caches().root(root);
      std::vector<bool> may_change(
          static_cast<std::size_t>(runtime->caches().layout().root_bytes(root)), false);
      for (const OwnEntry& entry : own) {
        if (entry.root != root) continue;
        const auto begin = static_cast<std::size_t>(entry.offset);
        std::fill_n(may_change.begin() + entry.offset, entry.bytes, true);
        EXPECT_TRUE(std::any_of(data + begin, data + begin + entry.bytes,
                                [](std::byte byte) { return byte != kPattern; }))
            << entry.column << " has no entry of its row's position";
      }
      for (std::size_t i = 0; i < may_change.size(); ++i)
        if (data[i] != kPattern && !may_change[i])
          FAIL() << "byte " << i << " of the " << name_of(root) << " root has changed, "
                 << (order == Layout::block_major ? "block_major" : "layer_major");
    }
  }
}

TEST_P(Padding, A15_a_last_chunk_of_one_token_leaves_the_state_of_a_size_one_run) {
  // Odd and even lengths: with and without an unfinished group of the ratio-2 layers.
  for (const std::size_t length : {17U, 18U}) {
    const std::vector<std::int32_t> tokens = random_tokens(7, length);
    std::vector<Bytes> state;
    std::vector<Bytes> kv;
    for (const int last_size : {1, 16}) {
      Options options = test_options(GetParam());
      options.max_batch = last_size;
      options.prefill_bucket = 16;
      const auto runtime = open_runtime("t41", options);
      StepScript script(*runtime);
      script.open(tokens);
      const int first = static_cast<int>(length) - 1;
      script.step({{0, std::min(first, 16)}});
      if (first > 16) script.step({{0, first - 16}});
      // The last token, in the graph of one row or padded to sixteen.
      CapturedGraph& graph = runtime->runner().graph_for(last_size);
      make_prepare_input(runtime->model(), runtime->caches())(script.metadata({{0, 1}}),
                                                              runtime->runner().input(graph));
      runtime->runner().replay(graph);
      const CacheLayout& layout = runtime->caches().layout();
      Bytes own_state;
      Bytes own_kv;
      for (const CacheColumn& column : layout.columns()) {
        const bool is_kv = column.recipe.root == CacheRoot::kv;
        const std::byte* data = runtime->caches().row(
            column, is_kv ? script.cache(0).blocks()[0] : script.cache(0).slot());
        auto& bytes = is_kv ? own_kv : own_state;
        bytes.insert(bytes.end(), data, data + column.recipe.column_bytes());
      }
      state.push_back(own_state);
      kv.push_back(own_kv);
    }
    EXPECT_EQ(state[0], state[1]) << length << " tokens";
    EXPECT_EQ(kv[0], kv[1]) << length << " tokens";
  }
}

TEST_P(Padding, B16_bytes_left_in_the_roots_never_reach_an_output) {
  Options options = test_options(GetParam());
  options.block_tokens = 6;
  const auto runtime = open_runtime("t41", options);
  const std::vector<std::int32_t> tokens = random_tokens(8, 40);
  const std::vector<int> chunks = {7, 1, 20, 1, 11};
  const std::vector<float> clean = last_logits(*runtime, tokens, chunks);
  for (const auto value : {std::byte{0xff}, std::byte{0x7f}}) {  // NaN in every format, huge
    fill_root(*runtime, CacheRoot::kv, value);
    fill_root(*runtime, CacheRoot::state, value);
    EXPECT_TRUE(same_bits(clean, last_logits(*runtime, tokens, chunks)));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Padding, testing::Values("reference", "cpu"),
                         [](const auto& info) { return info.param; });

/// A step's metadata without a backend: filled buffers only.
class StepMetadata : public testing::Test {
 protected:
  static Options options() {
    Options options = test_options("reference");
    options.max_batch = 8;
    options.prefill_bucket = 16;
    options.block_tokens = 4;
    return options;
  }

  StepMetadata()
      : runtime_(open_runtime("t41", options())),
        prepare_(make_prepare_input(runtime_->model(), runtime_->caches())) {}

  /// Every index of every buffer lies below the length of what it indexes, padding included.
  void check(const InputMetadata& input, int live) {
    const CacheGeometry& geometry = runtime_->caches().layout().geometry();
    const auto rows = static_cast<std::size_t>(input.rows());
    const auto i32 = [&](std::string_view name) { return input.i32(name); };
    ASSERT_EQ(i32(step_inputs::kTokenIds).size(), rows);
    for (const std::int32_t id : i32(step_inputs::kTokenIds)) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, runtime_->model().config().vocab_size);
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_live = row < static_cast<std::size_t>(live);
      const std::int32_t position = i32(step_inputs::kPositions)[row];
      const std::int32_t slot = i32(step_inputs::kSlots)[row];
      const std::int32_t previous = i32(step_inputs::kPrevRows)[row];
      ASSERT_EQ(position >= 0, is_live) << "row " << row;
      ASSERT_LT(position, runtime_->max_context());
      ASSERT_GE(slot, 0);
      ASSERT_EQ(slot == geometry.scratch_slot(), !is_live) << "row " << row;
      ASSERT_LT(slot, geometry.slots);
      ASSERT_GE(previous, -1);
      ASSERT_LT(previous, static_cast<std::int32_t>(row));
      if (!is_live) {
        ASSERT_EQ(i32(step_inputs::kWantsLogits)[row], 0);
        ASSERT_EQ(previous, -1);
      }
      const auto table = i32(step_inputs::kBlockTable);
      const std::size_t width = table.size() / static_cast<std::size_t>(geometry.slots);
      for (const std::int32_t block :
           table.subspan(static_cast<std::size_t>(slot) * width, width)) {
        ASSERT_GE(block, 0);
        ASSERT_LT(block, geometry.blocks);
        ASSERT_TRUE(is_live || block == geometry.scratch_block());
      }
    }
  }

  std::unique_ptr<Runtime> runtime_;
  PrepareInput prepare_;
};

TEST_F(StepMetadata, A2_indices_stay_in_range_with_0_1_and_almost_all_rows_live) {
  for (const int size : runtime_->runner().graphs()) {
    CapturedGraph& graph = runtime_->runner().graph_for(size);
    for (const int live : {0, 1, size - 1, size}) {
      StepScript script(*runtime_);
      script.open(random_tokens(1, static_cast<std::size_t>(size)));
      prepare_(script.metadata({{0, live}}), runtime_->runner().input(graph));
      check(runtime_->runner().input(graph), live);
    }
  }
}

TEST_F(StepMetadata, A3_rows_behind_the_live_ones_are_padding) {
  std::mt19937_64 random(test_seed());
  for (int draw = 0; draw < 1000; ++draw) {
    const auto sizes = runtime_->runner().graphs();
    CapturedGraph& graph = runtime_->runner().graph_for(sizes[random() % sizes.size()]);
    InputMetadata& input = runtime_->runner().input(graph);
    StepScript script(*runtime_);
    std::vector<StepScript::Part> parts;
    int live = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto room = static_cast<std::size_t>(input.rows() - live);
      const int rows = static_cast<int>(random() % (std::min<std::size_t>(room, 5) + 1));
      script.open(random_tokens(random(), 6));
      parts.push_back({i, rows});
      live += rows;
    }
    prepare_(script.metadata(parts), input);
    check(input, live);
    if (HasFatalFailure()) return;
  }
}

TEST_F(StepMetadata, C1_an_invalid_token_id_is_refused_before_it_indexes_anything) {
  InputMetadata& input = runtime_->runner().input(runtime_->runner().graph_for(4));
  const int vocab = runtime_->model().config().vocab_size;
  for (const std::int32_t bad : {-1, vocab, 2147483647}) {
    StepScript script(*runtime_);
    script.open({4, bad, 5});
    const std::string error = error_text([&] { prepare_(script.metadata({{0, 3}}), input); });
    EXPECT_NE(error.find("token id is out of range"), std::string::npos) << error;
    EXPECT_NE(error.find(std::to_string(bad)), std::string::npos) << error;
  }
}

TEST_F(StepMetadata, C3_ngram_rows_are_each_rows_own_while_requests_join_and_leave) {
  std::mt19937_64 random(test_seed());
  const Engram& engram = *runtime_->model().engram;
  const auto columns = static_cast<std::size_t>(engram.columns());
  std::vector<std::int64_t> ids(columns);
  std::vector<std::byte> wanted(engram.position_bytes());
  StepScript script(*runtime_);
  std::vector<std::size_t> running;
  for (int step = 0; step < 500; ++step) {
    while (running.size() < 8 && random() % 2 == 0)
      running.push_back(script.open(random_tokens(random(), 1 + random() % 20, 640)));
    std::vector<StepScript::Part> parts;
    int live = 0;
    for (const std::size_t sequence : running) {
      const int most = std::min(
          {static_cast<int>(script.left(sequence)), 16 - live, 1 + static_cast<int>(random() % 4)});
      if (most < 1) continue;
      parts.push_back({sequence, most});
      live += most;
    }
    const auto metadata = script.metadata(parts);
    InputMetadata& input = runtime_->runner().input(runtime_->runner().graph_for(16));
    prepare_(metadata, input);
    for (int table = 0; table < engram.tables(); ++table) {
      const int layer =
          runtime_->model().config().engram.layer_ids[static_cast<std::size_t>(table)];
      const auto bytes = input.raw(step_inputs::engram_rows(layer));
      std::size_t row = 0;
      for (const SequenceMetadata& part : metadata) {
        for (int i = 0; i < part.rows; ++i, ++row) {
          engram.row_ids(table, part.tokens, part.first_position + i, ids);
          engram.gather(table, ids, wanted.data());
          ASSERT_EQ(std::memcmp(wanted.data(), bytes.data() + row * wanted.size(), wanted.size()),
                    0)
              << "step " << step << ", row " << row;
        }
      }
      for (const std::byte byte : bytes.subspan(row * wanted.size()))
        ASSERT_EQ(byte, std::byte{0}) << "a padding row holds n-gram rows";
    }
    for (const StepScript::Part& part : parts) script.skip(part);
    std::erase_if(running, [&](std::size_t sequence) {
      if (script.left(sequence) > 0) return false;
      script.close(sequence);
      return true;
    });
  }
}

}  // namespace
}  // namespace deepinfer
