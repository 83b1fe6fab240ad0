#include "bench/graphs/experiment.h"

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "deepinfer/error.h"
#include "engine/sampler.h"
#include "engine/sequence_run.h"

namespace deepinfer::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool follows(Runtime& runtime, const EvalCase& tested) {
  SequenceRun run(runtime, static_cast<std::int64_t>(tested.tokens.size() + tested.expect.size()));
  std::int32_t next = -1;
  const auto take = [&next](const StepOutput& output, std::int64_t /*first*/, int rows) {
    next = argmax(output.logits(rows - 1));
  };
  run.feed(tested.tokens, {}, false, take);
  for (const std::int32_t expected : tested.expect) {
    if (next != expected) return false;
    run.feed({&expected, 1}, {}, false, take);
  }
  return true;
}

}  // namespace

EvalSet read_eval_set(const std::string& path, int bucket) {
  std::ifstream file(path);
  const nlohmann::json cases = nlohmann::json::parse(file, nullptr, false);
  if (!cases.is_array()) throw Error::bad_input(path, "is not a list of cases");
  EvalSet set;
  for (const nlohmann::json& entry : cases) {
    EvalCase read{.tokens = entry.at("tokens"), .expect = entry.at("expect_tokens")};
    const bool is_short = read.tokens.size() <= static_cast<std::size_t>(bucket);
    (is_short ? set.short_cases : set.long_cases).push_back(std::move(read));
  }
  return set;
}

EvalResult run_evals(Runtime& runtime, const std::vector<EvalCase>& cases) {
  EvalResult result;
  const auto start = Clock::now();
  for (const EvalCase& tested : cases) result.correct += follows(runtime, tested) ? 1 : 0;
  result.seconds = seconds_since(start);
  return result;
}

double prompt_seconds(Runtime& runtime, const std::vector<std::int32_t>& tokens, int chunk) {
  SequenceRun run(runtime, static_cast<std::int64_t>(tokens.size()));
  const std::vector<int> chunks = even_chunks(tokens.size(), chunk);
  const auto start = Clock::now();
  run.feed(tokens, chunks, false, [](const StepOutput&, std::int64_t, int) {});
  return seconds_since(start);
}

}  // namespace deepinfer::bench
