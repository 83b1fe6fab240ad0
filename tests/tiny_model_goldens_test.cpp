// The bundled model: its golden continuations, and its own evaluation cases through the engine.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "deepinfer/engine.h"
#include "tests/support/golden_cases.h"
#include "tests/support/golden_model.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr const char* kTinyModel = "models/DeepInfer-V4.1-tiny";

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

Options tiny_options(const std::string& backend, Numerics numerics) {
  Options options = test_options(backend, numerics);
  options.model = kTinyModel;
  options.max_context = 0;
  options.kv_memory = std::int64_t{64} << 20;
  return options;
}

class TinyModel : public testing::TestWithParam<Numerics> {};

TEST_P(TinyModel, ContinuesAsTheGoldensDo) {
  Engine engine(tiny_options("cpu", GetParam()));
  const auto golden = read_json("tests/data/tiny_golden.json");
  std::vector<std::vector<std::int32_t>> wanted;
  for (const auto& item : golden.at("items")) {
    wanted.push_back(item.at("ids"));
    engine.submit({.prompt = item.at("prompt_ids"),
                   .sampling = {},
                   .max_tokens = static_cast<int>(wanted.back().size()),
                   .stop = {},
                   .stop_tokens = {},
                   .ignore_eos = true});
  }
  std::vector<std::vector<std::int32_t>> got(wanted.size());
  std::vector<TokenEvent> events;
  while (engine.step(events)) {
  }
  for (const TokenEvent& event : events) got.at(event.request - 1).push_back(event.token);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(got[i], wanted[i]) << "item " << i;
}

TEST_P(TinyModel, AnswersItsEvaluationCases) {
  Engine engine(tiny_options("cpu", GetParam()));
  const auto cases = read_json(std::string(kTinyModel) + "/eval.json");
  ASSERT_GT(cases.size(), 10U);
  for (const auto& item : cases)
    engine.submit({.prompt = item.at("tokens"),
                   .sampling = {},
                   .max_tokens = static_cast<int>(item.at("expect_tokens").size()),
                   .stop = {},
                   .stop_tokens = {},
                   .ignore_eos = false});
  std::vector<std::vector<std::int32_t>> got(cases.size());
  std::vector<TokenEvent> events;
  while (engine.step(events)) {
  }
  for (const TokenEvent& event : events) got.at(event.request - 1).push_back(event.token);
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(got[i], cases[i].at("expect_tokens").get<std::vector<std::int32_t>>())
        << cases[i].at("id");
}

INSTANTIATE_TEST_SUITE_P(Numerics, TinyModel, golden_numerics(),
                         [](const auto& info) { return golden_name(info.param); });

TEST(TinyModelReference, BeginsItsGoldenContinuation) {
  Options options = tiny_options("reference", Numerics::fp32);
  options.max_batch = 1;
  options.prefill_bucket = 16;
  options.max_context = 64;
  Runtime runtime(open_model(kTinyModel, options.engram), options);
  const auto item = read_json("tests/data/tiny_golden.json").at("items").at(0);
  const std::vector<std::int32_t> prompt = item.at("prompt_ids");
  const std::vector<std::int32_t> ids = item.at("ids");
  constexpr std::size_t kTokens = 8;
  EXPECT_EQ(greedy(runtime, prompt, kTokens),
            std::vector<std::int32_t>(ids.begin(), ids.begin() + kTokens));
}

}  // namespace
}  // namespace deepinfer
