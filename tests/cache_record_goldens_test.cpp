// The packed records in the caches after a prompt, against the goldens' records. Decoded values are
// compared: a value may have two encodings (a block whose scale could be halved, minus zero).

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "core/quantise.h"
#include "tests/support/golden_cases.h"
#include "tests/support/golden_model.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

/// Model, backend, graph mode, numerics and layout.
using Case = std::tuple<std::string, std::string, GraphMode, Numerics, Layout>;

class CacheRecords : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    Options options = test_options(std::get<1>(GetParam()), numerics());
    options.max_batch = 2;
    options.prefill_bucket = 16;  // the prompt takes two steps
    options.block_tokens = 4;     // and several blocks
    options.graph_mode = std::get<2>(GetParam());
    options.layout = std::get<4>(GetParam());
    runtime_ = open_runtime(std::get<0>(GetParam()), options);
    const std::vector<std::int32_t>& ids = golden().prompt("p17").ids;
    other_ = std::make_unique<SequenceRun>(*runtime_, 5);  // so that rows are not the first ones
    feed(*other_, *runtime_, {ids.data(), 5});
    run_ = std::make_unique<SequenceRun>(*runtime_, static_cast<std::int64_t>(ids.size()));
    feed(*run_, *runtime_, ids);
  }

  Numerics numerics() const { return std::get<3>(GetParam()); }
  /// The reference rounds where the goldens' model rounds. Elsewhere sums have another order: one
  /// value on the edge of a code falls the other way, in official numerics (more roundings, each
  /// moving what follows) many.
  bool exact() const { return std::get<1>(GetParam()) == "reference"; }
  bool official() const { return numerics() == Numerics::official; }
  std::string key(int layer, const std::string& name) const {
    return "cache17." + golden_name(numerics()) + ".layer" + std::to_string(layer) + "." + name;
  }
  const GoldenModel& golden() const { return GoldenModel::named(std::get<0>(GetParam())); }
  const CacheColumn& column(int layer, CacheKind kind) const {
    return *runtime_->caches().layout().find(layer, kind);
  }
  const std::byte* row(const CacheColumn& column, std::int64_t row) const {
    return runtime_->caches().row(column, row);
  }
  /// Record of ring position `position`.
  const std::byte* window(int layer, std::int64_t position) const {
    const CacheColumn& swa = column(layer, CacheKind::swa_cache);
    const std::int64_t ring = swa.recipe.shape[1];
    return row(swa, run_->cache().slot()) + position % ring * swa.recipe.shape[2];
  }
  /// Record of compressed entry `entry`.
  const std::byte* compressed(int layer, CacheKind kind, std::int64_t entry) const {
    const CacheColumn& cache = column(layer, kind);
    const std::int64_t per_block = cache.recipe.shape[1];
    const auto block = run_->cache().blocks()[static_cast<std::size_t>(entry / per_block)];
    return row(cache, block) + entry % per_block * cache.recipe.shape[2];
  }

  /// Counts values of record `got` that differ from golden record `wanted`.
  void compare(Quantiser quantiser, const std::byte* got, const std::uint8_t* wanted,
               std::size_t values) {
    std::vector<float> a(values);
    std::vector<float> b(values);
    dequantise(quantiser, reinterpret_cast<const std::uint8_t*>(got), a);
    dequantise(quantiser, wanted, b);
    for (std::size_t i = 0; i < values; ++i) different_ += a[i] == b[i] ? 0 : 1;
    got_.insert(got_.end(), a.begin(), a.end());
    wanted_.insert(wanted_.end(), b.begin(), b.end());
  }
  void compare_entries(Quantiser quantiser, const std::string& name, int layer, CacheKind kind,
                       std::size_t values) {
    const std::vector<std::uint8_t> wanted = golden().tensors().u8(key(layer, name));
    const std::size_t bytes = record_bytes(quantiser, values);
    for (std::size_t entry = 0; entry * bytes < wanted.size(); ++entry)
      compare(quantiser, compressed(layer, kind, static_cast<std::int64_t>(entry)),
              wanted.data() + entry * bytes, values);
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<SequenceRun> other_;
  std::unique_ptr<SequenceRun> run_;
  std::size_t different_ = 0;
  std::vector<float> got_;
  std::vector<float> wanted_;
};

TEST_P(CacheRecords, HoldTheGoldensValues) {
  const ModelConfig& config = runtime_->model().config();
  const auto head_dim = static_cast<std::size_t>(config.head_dim);
  const std::vector<std::int64_t>& positions = golden().cache17_window_positions();
  const auto window_rows = static_cast<std::size_t>(positions.back() - positions.front() + 1);
  for (const int layer : golden().cache17_layers()) {
    const auto wanted = golden().tensors().u8(key(layer, "window"));
    const std::size_t bytes = record_bytes(Quantiser::q8, head_dim);
    ASSERT_EQ(wanted.size(), bytes * window_rows);
    for (std::size_t i = 0; i * bytes < wanted.size(); ++i)
      compare(Quantiser::q8, window(layer, positions.front() + static_cast<std::int64_t>(i)),
              wanted.data() + i * bytes, head_dim);
    if (!config.is_kv_source(layer)) continue;
    compare_entries(Quantiser::q4e, "comp", layer, CacheKind::ca_cache, head_dim);
    compare_entries(Quantiser::q4u, "ikey", layer, CacheKind::ica_cache,
                    static_cast<std::size_t>(config.index_head_dim));
  }
  EXPECT_GT(got_.size(), 1000U);
  EXPECT_GE(cosine(got_, wanted_), 0.98);
  if (exact()) {
    EXPECT_EQ(different_, 0U) << "of " << got_.size();
  } else if (!official()) {
    EXPECT_LE(different_, got_.size() / 1000) << "of " << got_.size();
  }
}

TEST_P(CacheRecords, HoldTheUnfinishedGroup) {
  for (const int layer : golden().cache17_layers()) {
    const CacheColumn* state = runtime_->caches().layout().find(layer, CacheKind::ca_state);
    if (state == nullptr) continue;
    const auto* tail = reinterpret_cast<const float*>(row(*state, run_->cache().slot()));
    const std::vector<float> a = golden().tensors().f32(key(layer, "tail_a"));
    const std::vector<float> g = golden().tensors().f32(key(layer, "tail_g"));
    const std::span<const float> got_a(tail, a.size());
    const std::span<const float> got_g(tail + a.size(), g.size());
    if (official() && !exact()) {
      EXPECT_GE(cosine(got_a, a), 0.98);
      EXPECT_GE(cosine(got_g, g), 0.98);
    } else {
      EXPECT_LE(largest_difference(got_a, a), 1e-4);
      EXPECT_LE(largest_difference(got_g, g), 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CacheRecords,
    testing::Combine(golden_models(), golden_backends(), golden_modes(), golden_numerics(),
                     testing::Values(Layout::block_major, Layout::layer_major)),
    [](const auto& info) {
      return golden_run_name(std::get<0>(info.param), std::get<1>(info.param),
                             std::get<2>(info.param), std::get<3>(info.param)) +
             (std::get<4>(info.param) == Layout::block_major ? "_block_major" : "_layer_major");
    });

}  // namespace
}  // namespace deepinfer
