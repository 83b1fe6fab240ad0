#include "tests/support/schedule.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "runner/captured_graph.h"
#include "runner/step_input.h"
#include "tests/support/poison.h"

namespace deepinfer {

std::size_t StepScript::open(std::vector<std::int32_t> tokens, std::int64_t spare) {
  auto sequence = std::make_unique<Sequence>();
  const auto most = static_cast<std::int64_t>(tokens.size()) + spare;
  sequence->tokens = std::move(tokens);
  sequence->cache = std::make_unique<SequenceCache>(runtime_.caches(), most);
  sequences_.push_back(std::move(sequence));
  return sequences_.size() - 1;
}

void StepScript::close(std::size_t sequence) {
  auto& cache = sequences_.at(sequence)->cache;
  if (poison_ == Poison::every_step) poison_rows(runtime_.caches(), *cache);
  cache.reset();
}

std::vector<SequenceMetadata> StepScript::metadata(const std::vector<Part>& parts) const {
  std::vector<SequenceMetadata> metadata;
  for (const Part& part : parts) {
    if (part.rows == 0) continue;
    const Sequence& sequence = *sequences_.at(part.sequence);
    metadata.push_back({.tokens = sequence.tokens,
                        .first_position = sequence.cached,
                        .rows = part.rows,
                        .slot = sequence.cache->slot(),
                        .blocks = sequence.cache->blocks(),
                        .wants_logits = true,
                        .all_logits = false});
  }
  return metadata;
}

std::vector<std::vector<float>> StepScript::take(const StepOutput& output,
                                                 const std::vector<Part>& parts) {
  std::vector<std::vector<float>> logits;
  int row = -1;
  for (const Part& part : parts) {
    if (part.rows == 0) continue;
    row += part.rows;
    const auto last = output.logits(row);
    logits.emplace_back(last.begin(), last.end());
    skip(part);
  }
  return logits;
}

std::vector<std::vector<float>> StepScript::step(const std::vector<Part>& parts) {
  const std::vector<SequenceMetadata> sequences = metadata(parts);
  if (sequences.empty()) return {};
  if (poison_ == Poison::none) return take(runtime_.step(sequences), parts);
  int rows = 0;
  std::int64_t context = 0;
  for (const SequenceMetadata& sequence : sequences) {
    rows += sequence.rows;
    context = std::max(context, sequence.first_position + sequence.rows);
  }
  return step_on(runtime_.runner().graph_for(rows, context), parts);
}

std::vector<std::vector<float>> StepScript::step_at_size(int size, const std::vector<Part>& parts) {
  return step_on(runtime_.runner().graph_for(size), parts);
}

std::vector<std::vector<float>> StepScript::step_on(CapturedGraph& graph,
                                                    const std::vector<Part>& parts) {
  GraphRunner& runner = runtime_.runner();
  if (poison_ == Poison::every_step) {
    poison_scratch(runtime_.caches());
    poison_metadata(runtime_, runner.input(graph));
  }
  make_prepare_input(runtime_.model(), runtime_.caches())(metadata(parts), runner.input(graph));
  return take(runner.replay(graph), parts);
}

bool StepScript::done() const {
  for (std::size_t i = 0; i < sequences_.size(); ++i)
    if (left(i) > 0) return false;
  return true;
}

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("DEEPINFER_TEST_SEED");
    const std::uint64_t chosen =
        text == nullptr ? std::random_device{}() : std::strtoull(text, nullptr, 10);
    std::cout << "DEEPINFER_TEST_SEED=" << chosen << std::endl;
    return chosen;
  }();
  return seed;
}

}  // namespace deepinfer
