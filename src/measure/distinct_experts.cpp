#include "measure/distinct_experts.h"

#include <fmt/format.h>

#include <set>

#include "engine/runtime.h"
#include "measure/random_sequence.h"
#include "runner/captured_graph.h"

namespace deepinfer {
namespace {

constexpr int kSteps = 8;

/// Different experts of the first `rows` rows of one layer; the row is all its choices wide.
std::size_t distinct(std::span<const std::int32_t> choices, int captured_rows, int rows) {
  const std::size_t per_row = choices.size() / static_cast<std::size_t>(captured_rows);
  const auto used = choices.first(per_row * static_cast<std::size_t>(rows));
  return std::set<std::int32_t>(used.begin(), used.end()).size();
}

}  // namespace

double distinct_experts(const Model& model, const Options& options, int batch, std::uint64_t seed) {
  Options traced = options;
  traced.max_batch = batch;
  traced.prefill_bucket = batch;
  traced.max_context = kSteps;
  traced.kv_memory = 0;
  Runtime runtime(model, traced, true);
  const ModelConfig& config = model.config();
  std::vector<RandomSequence> sequences;
  sequences.reserve(static_cast<std::size_t>(batch));
  for (int i = 0; i < batch; ++i)
    sequences.emplace_back(runtime, seed + static_cast<std::uint64_t>(i), kSteps);
  const int captured_rows = runtime.runner().graph_for(batch).rows();
  double sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<SequenceMetadata> rows;
    rows.reserve(sequences.size());
    for (RandomSequence& sequence : sequences) rows.push_back(sequence.take(1));
    const StepOutput output = runtime.step(rows);
    for (int layer = 0; layer < config.num_hidden_layers; ++layer)
      sum += static_cast<double>(distinct(output.traced_i32(fmt::format("layer.{}.experts", layer)),
                                          captured_rows, batch));
  }
  return sum / kSteps / config.num_hidden_layers;
}

}  // namespace deepinfer
