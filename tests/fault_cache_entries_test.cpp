// Faults B15 and B19: the engine against the reference that keeps its caches rightly, and the
// reference that does not against both. The golden is written by tools/cache_faults.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/sampler.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

using TokenList = std::vector<std::int32_t>;

nlohmann::json cache_faults() {
  std::ifstream file("tests/data/goldens/cache_faults.json");
  return nlohmann::json::parse(file);
}

class CacheFaults : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Runtime> open(int rows, bool trace) const {
    Options options = test_options(GetParam(), Numerics::fp32);
    options.block_tokens = 16;
    options.max_batch = 1;
    options.prefill_bucket = rows;
    return open_runtime("t41", options, trace);
  }
};

TEST_P(CacheFaults, B15_decoding_scores_against_the_keys_of_the_layers_own_source) {
  const nlohmann::json golden = cache_faults().at("decoding");
  const TokenList prompt = golden.at("prompt");
  const nlohmann::json& right = golden.at("right");
  const TokenList tokens = right.at("tokens");
  const std::vector<double> gaps = right.at("gaps");
  ASSERT_EQ(tokens.size(), 64U);
  const auto runtime = open(static_cast<int>(prompt.size()), true);
  const std::vector<int>& sources = runtime->model().config().index_source_layer_ids;
  ASSERT_EQ(right.at("selected").size(), sources.size());

  SequenceRun run(*runtime, static_cast<std::int64_t>(prompt.size() + tokens.size()));
  std::vector<float> logits = feed(run, *runtime, prompt);
  for (std::size_t step = 0; step < tokens.size(); ++step) {
    ASSERT_GT(gaps[step], 2e-3) << "the next token is in doubt: logits agree within 1e-3";
    ASSERT_EQ(argmax(logits), tokens[step]) << "step " << step;
    const std::vector<int> one = {1};
    run.feed({&tokens[step], 1}, one, false, [&](const StepOutput& output, std::int64_t, int) {
      for (const int layer : sources) {
        const TokenList wanted = right.at("selected").at(std::to_string(layer)).at(step);
        const auto got = output.traced_i32("layer." + std::to_string(layer) + ".selected");
        ASSERT_EQ(TokenList(got.begin(), got.end()), wanted)
            << "layer " << layer << ", step " << step;
      }
      const auto last = output.logits(0);
      logits.assign(last.begin(), last.end());
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(CacheFaults, B19_cache_entries_are_rounded_once_as_in_the_reference) {
  const nlohmann::json golden = cache_faults().at("rounding");
  const TokenList tokens = golden.at("tokens");
  const std::vector<double> wanted = golden.at("right");
  const double noise = golden.at("noise");
  const auto runtime = open(static_cast<int>(tokens.size()), false);
  SequenceRun run(*runtime, static_cast<std::int64_t>(tokens.size()));
  double worst = 0;
  run.feed(tokens, {}, true, [&](const StepOutput& output, std::int64_t first, int rows) {
    ASSERT_EQ(first, 0);
    for (std::size_t next = 1; next < static_cast<std::size_t>(rows); ++next) {
      const auto logits = output.logits(static_cast<int>(next) - 1);
      const double largest = *std::max_element(logits.begin(), logits.end());
      double sum = 0;
      for (const float logit : logits) sum += std::exp(double{logit} - largest);
      const double likelihood =
          double{logits[static_cast<std::size_t>(tokens[next])]} - largest - std::log(sum);
      worst = std::max(worst, std::fabs(likelihood - wanted[next - 1]));
    }
  });
  // A selection among near-equal scores may go the other way: that is what the noise shows.
  EXPECT_LE(worst, 4 * noise);
}

INSTANTIATE_TEST_SUITE_P(Backends, CacheFaults, testing::Values("reference", "cpu"),
                         [](const auto& info) { return info.param; });

// Or the tests above would have no teeth.
TEST(CacheFaultGoldens, B15_keys_of_the_last_publisher_select_other_entries_and_tokens) {
  const nlohmann::json golden = cache_faults().at("decoding");
  const nlohmann::json& right = golden.at("right");
  const nlohmann::json& wrong = golden.at("last_publisher");
  EXPECT_NE(wrong.at("tokens"), right.at("tokens"));
  for (const auto& [layer, lists] : right.at("selected").items()) {
    const nlohmann::json& others = wrong.at("selected").at(layer);
    int differ = 0;
    for (std::size_t step = 0; step < lists.size(); ++step)
      differ += lists.at(step) == others.at(step) ? 0 : 1;
    EXPECT_GE(differ, 16) << "of 64 lists of layer " << layer;
  }
}

TEST(CacheFaultGoldens, B19_the_reference_without_a_rounding_finds_the_text_otherwise_likely) {
  const nlohmann::json golden = cache_faults().at("rounding");
  const std::vector<double> right = golden.at("right");
  ASSERT_EQ(golden.at("skipped").size(), 4U);  // window, compressed, index keys, all
  for (const auto& [name, values] : golden.at("skipped").items()) {
    const std::vector<double> skipped = values;
    ASSERT_EQ(skipped.size(), right.size());
    double most = 0;
    for (std::size_t i = 0; i < right.size(); ++i)
      most = std::max(most, std::fabs(skipped[i] - right[i]));
    EXPECT_GT(most, 10 * 4 * golden.at("noise").get<double>()) << name;
  }
}

}  // namespace
}  // namespace deepinfer
