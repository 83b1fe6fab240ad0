#include "tests/support/tiny_model.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "deepinfer/engine.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr const char* kTinyModel = "models/DeepInfer-V4.1-tiny";

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

}  // namespace

std::vector<TinyCase> tiny_eval_cases() {
  std::vector<TinyCase> cases;
  for (const auto& item : read_json(std::string(kTinyModel) + "/eval.json"))
    cases.push_back({.name = item.at("id").dump(),
                     .prompt = item.at("tokens"),
                     .expected = item.at("expect_tokens")});
  return cases;
}

std::vector<TinyCase> tiny_golden_cases() {
  std::vector<TinyCase> cases;
  const auto golden = read_json("tests/data/tiny_golden.json");
  for (const auto& item : golden.at("items"))
    cases.push_back({.name = "item " + std::to_string(cases.size()),
                     .prompt = item.at("prompt_ids"),
                     .expected = item.at("ids")});
  return cases;
}

Options tiny_options(const std::string& backend, Numerics numerics, GraphMode mode) {
  Options options = test_options(backend, numerics);
  options.model = kTinyModel;
  options.graph_mode = mode;
  options.max_context = 0;
  options.kv_memory = std::int64_t{64} << 20;
  return options;
}

std::vector<std::vector<std::int32_t>> run_cases(const Options& options,
                                                 const std::vector<TinyCase>& cases,
                                                 bool ignore_eos) {
  Engine engine(options);
  for (const TinyCase& one : cases)
    engine.submit({.prompt = one.prompt,
                   .sampling = {},
                   .max_tokens = static_cast<int>(one.expected.size()),
                   .stop = {},
                   .stop_tokens = {},
                   .ignore_eos = ignore_eos});
  std::vector<TokenEvent> events;
  while (engine.step(events)) {
  }
  std::vector<std::vector<std::int32_t>> got(cases.size());
  for (const TokenEvent& event : events) got.at(event.request - 1).push_back(event.token);
  return got;
}

}  // namespace deepinfer
