#pragma once

// Several sequences under the test's own schedule: which rows of which sequence each step runs.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/runtime.h"
#include "engine/sequence_cache.h"

namespace deepinfer {

/// Whether rows and metadata that no step may read are poisoned before each step (poison.h).
enum class Poison { none, every_step };

class StepScript {
 public:
  explicit StepScript(Runtime& runtime, Poison poison = Poison::none)
      : runtime_(runtime), poison_(poison) {}

  /// Part of a step: the next `rows` rows of a sequence.
  struct Part {
    std::size_t sequence;
    int rows;
  };

  /// Takes cache rows for a sequence that will run these tokens (and `spare` more); returns its
  /// number.
  std::size_t open(std::vector<std::int32_t> tokens, std::int64_t spare = 0);
  /// Gives its cache rows back.
  void close(std::size_t sequence);
  void append(std::size_t sequence, std::int32_t token) {
    sequences_.at(sequence)->tokens.push_back(token);
  }

  /// Runs one step; the logits of each part's last row.
  std::vector<std::vector<float>> step(const std::vector<Part>& parts);
  /// The same on the graph of `size` rows, not the smallest that fits.
  std::vector<std::vector<float>> step_at_size(int size, const std::vector<Part>& parts);
  /// Counts the rows of `part` as run.
  void skip(const Part& part) { sequences_.at(part.sequence)->cached += part.rows; }
  /// The metadata that step() would run.
  std::vector<SequenceMetadata> metadata(const std::vector<Part>& parts) const;

  const std::vector<std::int32_t>& tokens(std::size_t sequence) const {
    return sequences_.at(sequence)->tokens;
  }
  const SequenceCache& cache(std::size_t sequence) const { return *sequences_.at(sequence)->cache; }
  /// Tokens of the sequence that have not run.
  std::size_t left(std::size_t sequence) const {
    return tokens(sequence).size() - static_cast<std::size_t>(sequences_.at(sequence)->cached);
  }
  bool done() const;

 private:
  struct Sequence {
    std::vector<std::int32_t> tokens;
    std::int64_t cached = 0;
    std::unique_ptr<SequenceCache> cache;
  };

  std::vector<std::vector<float>> step_on(CapturedGraph& graph, const std::vector<Part>& parts);
  std::vector<std::vector<float>> take(const StepOutput& output, const std::vector<Part>& parts);

  Runtime& runtime_;
  Poison poison_;
  std::vector<std::unique_ptr<Sequence>> sequences_;
};

/// DEEPINFER_TEST_SEED, or another one in every run; printed at its first use.
std::uint64_t test_seed();

}  // namespace deepinfer
