#include "tests/support/golden_model.h"

#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

GoldenAnswer read_answer(const nlohmann::json& json, const GoldenFile& tensors) {
  GoldenAnswer answer;
  answer.logits = tensors.f32(json.at("logits"));
  answer.greedy = json.at("greedy").get<std::vector<std::int32_t>>();
  answer.gaps = json.at("gaps").get<std::vector<double>>();
  answer.noise = json.contains("noise_last_logits_max_abs")
                     ? json.at("noise_last_logits_max_abs").get<double>()
                     : json.at("noise_max_abs").get<double>();
  answer.noise_cosine = json.value("noise_cosine", 1.0);
  return answer;
}

}  // namespace

std::string golden_name(Numerics numerics) {
  return numerics == Numerics::fp32 ? "fp32" : "official";
}

GoldenModel::GoldenModel(const std::string& directory)
    : tensors_(directory + "/goldens.safetensors") {
  std::ifstream file(directory + "/goldens.json");
  const auto json = nlohmann::json::parse(file);
  for (const auto& prompt : json.at("prompts"))
    prompts_.push_back({.id = prompt.at("id"),
                        .ids = prompt.at("ids"),
                        .chunkings = prompt.at("chunkings"),
                        .fp32 = read_answer(prompt.at("fp32"), tensors_),
                        .official = read_answer(prompt.at("official"), tensors_)});
  sha256_ = json.at("checkpoint_files").get<std::map<std::string, std::string>>();
  window_positions_ = json.at("cache17").at("window_positions").get<std::vector<std::int64_t>>();
  cache_layers_ = json.at("cache17").at("layers").get<std::vector<int>>();
  if (!json.contains("engram")) return;
  for (const auto& [layer, values] : json.at("engram").at("multipliers").items())
    for (const auto& value : values)  // decimal strings: beyond what a double holds
      multipliers_[std::stoi(layer)].push_back(std::stoull(value.get<std::string>()));
  for (const auto& [layer, values] : json.at("engram").at("primes").items())
    primes_[std::stoi(layer)] = values.get<std::vector<std::int64_t>>();
}

const GoldenModel& GoldenModel::named(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<GoldenModel>> known;
  const std::lock_guard lock(mutex);
  auto& model = known[name];
  if (model == nullptr) model.reset(new GoldenModel("tests/data/goldens/" + name));
  return *model;
}

const GoldenPrompt& GoldenModel::prompt(const std::string& id) const {
  for (const GoldenPrompt& prompt : prompts_)
    if (prompt.id == id) return prompt;
  throw Error::bad_input("goldens", "no prompt '" + id + "'");
}

}  // namespace deepinfer
