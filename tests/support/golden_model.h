#pragma once

// The model-level goldens of one tiny checkpoint: prompts, what they must give in each numerics
// mode, and the tensors of traces and caches. Loaded once per model; immutable.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "deepinfer/options.h"
#include "tests/support/golden_file.h"

namespace deepinfer {

/// What a prompt must give in one numerics mode.
struct GoldenAnswer {
  std::vector<float> logits;         ///< [vocab], of the prompt's last position
  std::vector<std::int32_t> greedy;  ///< the next tokens
  std::vector<double> gaps;          ///< best minus second logit, per greedy step
  /// Largest change of a logit when noise of relative size 3e-7 follows every op.
  double noise = 0;
  double noise_cosine = 1;  ///< official only: the same experiment as a cosine
};

struct GoldenPrompt {
  std::string id;
  std::vector<std::int32_t> ids;
  std::vector<std::vector<int>> chunkings;
  GoldenAnswer fp32;
  GoldenAnswer official;

  const GoldenAnswer& answer(Numerics numerics) const {
    return numerics == Numerics::fp32 ? fp32 : official;
  }
};

class GoldenModel {
 public:
  /// `name`: t41, t41-odd or t41-saturated.
  static const GoldenModel& named(const std::string& name);

  const std::vector<GoldenPrompt>& prompts() const { return prompts_; }
  const GoldenPrompt& prompt(const std::string& id) const;
  const GoldenFile& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& checkpoint_sha256() const { return sha256_; }
  /// By engram layer; empty for a model without.
  const std::map<int, std::vector<std::uint64_t>>& engram_multipliers() const {
    return multipliers_;
  }
  const std::map<int, std::vector<std::int64_t>>& engram_primes() const { return primes_; }
  const std::vector<std::int64_t>& cache17_window_positions() const { return window_positions_; }
  const std::vector<int>& cache17_layers() const { return cache_layers_; }

 private:
  explicit GoldenModel(const std::string& directory);

  GoldenFile tensors_;
  std::vector<GoldenPrompt> prompts_;
  std::map<std::string, std::string> sha256_;
  std::map<int, std::vector<std::uint64_t>> multipliers_;
  std::map<int, std::vector<std::int64_t>> primes_;
  std::vector<std::int64_t> window_positions_;
  std::vector<int> cache_layers_;
};

/// The name goldens.json and the tensors use.
std::string golden_name(Numerics numerics);

}  // namespace deepinfer
