#include <gtest/gtest.h>

#include "deepinfer/error.h"
#include "measure/bench_run.h"
#include "measure/limit_time.h"
#include "measure/spread.h"

namespace deepinfer {
namespace {

std::string refusal(const BenchRequest& request, const Options& options) {
  ModelConfig config;
  config.max_position_embeddings = 1000;
  try {
    check_request(request, options, config);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BenchRequest, IsCheckedAgainstOptionsAndModel) {
  Options options;
  EXPECT_EQ(refusal({}, options), "");
  EXPECT_NE(refusal({.batches = {}}, options).find("--batch"), std::string::npos);
  EXPECT_NE(refusal({.batches = {1, 0}}, options).find("expected 1 to 16, got 0"),
            std::string::npos);
  EXPECT_NE(refusal({.batches = {17}}, options).find("raise --max-batch"), std::string::npos);
  // 128 + 32 * 3 a batch.
  EXPECT_EQ(positions_of({.batches = {1, 2}}), 128 + 2 * 96);
  options.max_context = 319;
  EXPECT_NE(refusal({.batches = {1, 2}}, options).find("at most 319 tokens, got 128 and 192 more"),
            std::string::npos);
  options.max_context = 0;
  EXPECT_NE(refusal({.prompt_tokens = 950}, options).find("at most 1000"), std::string::npos);
}

TEST(Spread, IsOfSortedValues) {
  EXPECT_EQ(spread_of({}).samples, 0U);
  const Spread odd = spread_of({3, 1, 2});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.max, 3);
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
}

TEST(LimitTime, IsTheLongerOfReadingAndMultiplying) {
  MachineLimits limits;
  limits.read.gb_per_s = 20;
  limits.peaks = {{.type = "int8", .instruction = "", .gmac_per_s = 400},
                  {.type = "fp32", .instruction = "", .gmac_per_s = 50}};
  const LimitTime reading = limit_time({.bytes = 2e9, .macs = 1e9}, limits);
  EXPECT_DOUBLE_EQ(reading.read_ms, 100);
  EXPECT_DOUBLE_EQ(reading.multiply_ms, 20);
  EXPECT_DOUBLE_EQ(reading.ms(), 100);
  EXPECT_DOUBLE_EQ(limit_time({.bytes = 2e9, .macs = 1e10}, limits).ms(), 200);
  limits.peaks.push_back({.type = "bf16 tiles", .instruction = "", .gmac_per_s = 1000});
  EXPECT_DOUBLE_EQ(limit_time({.bytes = 2e9, .macs = 1e10}, limits).multiply_ms, 10);
}

}  // namespace
}  // namespace deepinfer
