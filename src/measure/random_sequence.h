#pragma once

// A sequence of random tokens on cache rows of its own, taken into steps piece by piece.

#include <cstdint>
#include <vector>

#include "deepinfer/graph_runner.h"
#include "engine/runtime.h"
#include "engine/sequence_cache.h"

namespace deepinfer {

class RandomSequence {
 public:
  /// Takes cache rows for `most` positions and draws that many tokens. Throws Error (bad_input) if
  /// they do not fit beside what other sequences hold. The runtime must outlive it.
  RandomSequence(Runtime& runtime, std::uint64_t seed, std::int64_t most);

  /// The next `rows` rows, logits of the last one wanted. The view is valid until the sequence
  /// moves. REQUIRES: that many are left.
  SequenceMetadata take(int rows);
  std::int64_t position() const { return position_; }
  std::int64_t left() const { return static_cast<std::int64_t>(tokens_.size()) - position_; }

 private:
  SequenceCache cache_;
  std::vector<std::int32_t> tokens_;
  std::int64_t position_ = 0;
};

}  // namespace deepinfer
