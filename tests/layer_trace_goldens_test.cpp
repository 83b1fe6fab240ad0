// Layer by layer against the goldens' traces: residual streams, sub-layer outputs, gates, experts,
// selected entries, candidate blocks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "tests/support/golden_cases.h"
#include "tests/support/golden_model.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class LayerTrace : public testing::TestWithParam<GoldenCase> {
 protected:
  const std::string& model() const { return std::get<0>(GetParam()); }
  const std::string& backend() const { return std::get<1>(GetParam()); }
  bool reference() const { return backend() == "reference"; }
  GraphMode mode() const { return std::get<2>(GetParam()); }
  Numerics numerics() const { return std::get<3>(GetParam()); }
  bool exact() const { return numerics() == Numerics::fp32; }
  const GoldenModel& golden() const { return GoldenModel::named(model()); }
  std::string key(const std::string& trace, const std::string& name) const {
    return trace + "." + golden_name(numerics()) + "." + name;
  }

  /// Runs a golden prompt in one step and hands its traced output to `check`.
  template <typename Check>
  void run(const std::string& prompt, const Check& check) {
    Options options = test_options(backend(), numerics());
    options.max_batch = 1;
    options.graph_mode = mode();
    const std::vector<std::int32_t>& ids = golden().prompt(prompt).ids;
    options.prefill_bucket = static_cast<int>(ids.size());
    const auto runtime = open_runtime(model(), options, true);
    layers_ = runtime->model().config().num_hidden_layers;
    SequenceRun sequence(*runtime, static_cast<std::int64_t>(ids.size()));
    sequence.feed(ids, {}, false,
                  [&](const StepOutput& output, std::int64_t, int) { check(*runtime, output); });
  }

  /// Compares all layers of a float trace with [layers, …] goldens. In official numerics a flipped
  /// rounding spreads, so only the layers before `official_layers` are held to bf16's precision.
  void check_layers(const StepOutput& output, const std::string& name,
                    const std::string& golden_key) {
    const std::vector<float> wanted = golden().tensors().f32(golden_key);
    const std::size_t each = wanted.size() / static_cast<std::size_t>(layers_);
    const int checked = exact() || reference() ? layers_ : 1;
    for (int layer = 0; layer < checked; ++layer) {
      const auto got = output.traced_f32("layer." + std::to_string(layer) + "." + name);
      ASSERT_EQ(got.size(), each);
      check_floats(got, {wanted.data() + static_cast<std::size_t>(layer) * each, each},
                   name + " of layer " + std::to_string(layer));
    }
  }

  /// Selected entries of an index source: the same positions in the same order, then -1.
  void check_selection(const StepOutput& output, int layer) const {
    const std::string name = "index" + std::to_string(layer) + ".sel";
    const std::vector<std::int32_t> wanted = golden().tensors().i32(key("trace48", name));
    const auto got = output.traced_i32("layer." + std::to_string(layer) + ".selected");
    const auto entries = [](std::span<const std::int32_t> all, std::size_t row) {
      const std::size_t each = all.size() / 48;
      std::vector<std::int32_t> chosen;
      for (const std::int32_t entry : all.subspan(row * each, each))
        if (entry >= 0) chosen.push_back(entry);
      return chosen;
    };
    for (std::size_t row = 0; row < 48; ++row)
      ASSERT_EQ(entries(got, row), entries(wanted, row)) << name << ", row " << row;
  }

  void check_floats(std::span<const float> got, std::span<const float> wanted,
                    const std::string& what) const {
    float largest = 0;
    for (const float value : wanted) largest = std::max(largest, std::fabs(value));
    // fp32: noise of 3e-7 per op, through ten layers. Official: a unit of bf16 (2^-8).
    const double tolerance = exact() ? 1e-4 : 1.0 / 256;
    EXPECT_LE(largest_difference(got, wanted), tolerance * double{largest}) << what;
  }

  int layers_ = 0;
};

/// In official numerics a flipped rounding changes later values, so streams of 48 tokens are
/// compared only where the arithmetic is the goldens' own.
class LongLayerTrace : public LayerTrace {};
/// Choices of these prompts are the goldens' on every vector kernel set, in both numerics (the
/// scalar kernels add in another order, and flip one of t41's in official numerics).
class ChoiceLayerTrace : public LayerTrace {};

TEST_P(LayerTrace, FloatsOfNineTokens) {
  run("p9", [&](const Runtime& runtime, const StepOutput& output) {
    check_layers(output, "streams", key("trace9", "X"));
    check_layers(output, "pre", key("trace9", "pre"));
    check_layers(output, "attn_out", key("trace9", "attn_out"));
    check_layers(output, "ffn_out", key("trace9", "ffn_out"));
    for (const int layer : runtime.model().config().engram.layer_ids) {
      if (!exact() && !reference()) break;
      const std::string gate = key("trace9", "engram" + std::to_string(layer) + ".gate");
      check_floats(output.traced_f32("layer." + std::to_string(layer) + ".gate"),
                   golden().tensors().f32(gate), gate);
    }
  });
}

TEST_P(LongLayerTrace, StreamsOf48Tokens) {
  run("p48", [&](const Runtime& runtime, const StepOutput& output) {
    const ModelConfig& config = runtime.model().config();
    const auto hc = static_cast<std::size_t>(config.hc_mult);
    const auto width = static_cast<std::size_t>(config.hidden_size);
    const std::vector<float> sums = golden().tensors().f32(key("trace48", "sum"));
    const std::vector<float> norms = golden().tensors().f32(key("trace48", "norm"));
    const std::vector<float> last = golden().tensors().f32(key("trace48", "X_last"));
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(layers_); ++layer) {
      const auto x = output.traced_f32("layer." + std::to_string(layer) + ".streams");
      ASSERT_EQ(x.size(), 48 * hc * width);
      for (std::size_t row = 0; row < 48 * hc; ++row) {
        double sum = 0;
        double square = 0;
        for (const float value : x.subspan(row * width, width)) {
          sum += double{value};
          square += double{value} * double{value};
        }
        const auto at = layer * 48 * hc + row;
        const double norm = double{norms[at]};
        const double tolerance = exact() ? 1e-4 : 1.0 / 256;
        ASSERT_NEAR(std::sqrt(square), norm, tolerance * norm) << "layer " << layer;
        ASSERT_NEAR(sum, sums[at], tolerance * norm * std::sqrt(static_cast<double>(width)))
            << "layer " << layer;
      }
      check_floats(x.subspan(47 * hc * width), {last.data() + layer * hc * width, hc * width},
                   "last row");
    }
  });
}

TEST_P(ChoiceLayerTrace, ChoicesOf48Tokens) {
  run("p48", [&](const Runtime& runtime, const StepOutput& output) {
    const ModelConfig& config = runtime.model().config();
    const std::vector<std::int32_t> experts = golden().tensors().i32(key("trace48", "experts"));
    const auto active = static_cast<std::size_t>(config.num_experts_per_tok);
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(layers_); ++layer) {
      const std::string name = "layer." + std::to_string(layer);
      const auto got = output.traced_i32(name + ".experts");
      for (std::size_t row = 0; row < 48; ++row) {
        const auto chosen = got.subspan(row * active, active);
        std::vector<std::int32_t> sorted(chosen.begin(), chosen.end());
        std::sort(sorted.begin(), sorted.end());
        const auto* wanted = experts.data() + (layer * 48 + row) * active;
        ASSERT_TRUE(std::equal(sorted.begin(), sorted.end(), wanted))
            << "experts of layer " << layer << ", row " << row;
      }
    }
    for (const int layer : config.index_source_layer_ids) check_selection(output, layer);
    const int source = config.candidate_source_layer_id;
    if (source < 0) return;
    const auto blocks = output.traced_i32("layer." + std::to_string(source) + ".candidate_blocks");
    const std::vector<std::uint8_t> wanted =
        golden().tensors().u8(key("trace48", "candidate_blocks"));
    const std::size_t count = wanted.size() / 48;
    for (std::size_t row = 0; row < 48; ++row) {
      std::vector<std::uint8_t> mask(count);
      for (const std::int32_t block : blocks.subspan(row * blocks.size() / 48, blocks.size() / 48))
        if (block >= 0) mask.at(static_cast<std::size_t>(block)) = 1;
      ASSERT_TRUE(std::equal(mask.begin(), mask.end(), wanted.data() + row * count))
          << "candidate blocks of row " << row;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, LayerTrace,
                         testing::Combine(golden_models(), golden_backends(), golden_modes(),
                                          golden_numerics()),
                         golden_case_name);

INSTANTIATE_TEST_SUITE_P(All, ChoiceLayerTrace,
                         testing::Combine(golden_models(), golden_backends(), golden_modes(),
                                          golden_numerics()),
                         golden_case_name);

INSTANTIATE_TEST_SUITE_P(Fp32, LongLayerTrace,
                         testing::Combine(golden_models(), golden_backends(), golden_modes(),
                                          testing::Values(Numerics::fp32)),
                         golden_case_name);
INSTANTIATE_TEST_SUITE_P(Official, LongLayerTrace,
                         testing::Combine(golden_models(), testing::Values("reference"),
                                          golden_modes(), testing::Values(Numerics::official)),
                         golden_case_name);

}  // namespace
}  // namespace deepinfer
