#pragma once

// Random but sane bytes of a checkpoint's tensors: no NaN codes, weights of about 1/sqrt(width) so
// that activations keep their size, norm weights near 1.
//
// One object makes one tensor's bytes in order, in pieces as large as the caller likes. The bytes
// depend on the seed and the tensor's name alone, not on the pieces. One thread.

#include <cstdint>
#include <span>

#include "checkpoint/tensor_names.h"

namespace deepinfer {

class RandomValues {
 public:
  RandomValues(const ExpectedTensor& tensor, std::uint64_t seed);

  /// The tensor's next 8 * words.size() bytes.
  void fill(std::span<std::uint64_t> words);

 private:
  std::uint64_t fixed_ = 0;   // bits that every word has
  std::uint64_t random_ = 0;  // bits that are drawn
  std::uint64_t state_ = 0;
};

}  // namespace deepinfer
