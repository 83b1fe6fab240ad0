#include "checkpoint/engram_layout.h"

#include <algorithm>
#include <string>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

void require_range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw Error::bad_input(
      "engram layout", std::string(name) + " is out of range",
      {std::to_string(low) + " to " + std::to_string(high), std::to_string(value), ""});
}

/// Primes in increasing order from a start value, by trial division: a candidate near the largest
/// allowed start has a root of 2^14, so at most about 1900 divisions.
class PrimeSequence {
 public:
  explicit PrimeSequence(std::int64_t first) : candidate_(std::max<std::int64_t>(first, 2)) {}

  std::int64_t next() {
    while (!is_prime(candidate_)) ++candidate_;
    return candidate_++;
  }

 private:
  bool is_prime(std::int64_t value) {
    extend_divisors(value);
    for (const std::int64_t divisor : divisors_) {
      if (divisor * divisor > value) return true;
      if (value % divisor == 0) return false;
    }
    return true;
  }

  // Makes divisors_ hold every prime up to the root of value, and perhaps the next one.
  void extend_divisors(std::int64_t value) {
    std::int64_t next = divisors_.back() + 2;
    while (divisors_.back() * divisors_.back() < value) {
      const bool composite = std::any_of(divisors_.begin(), divisors_.end(), [next](auto divisor) {
        return divisor * divisor <= next && next % divisor == 0;
      });
      if (!composite) divisors_.push_back(next);
      next += 2;
    }
  }

  std::int64_t candidate_;
  std::vector<std::int64_t> divisors_ = {2, 3};
};

}  // namespace

std::int64_t EngramLayout::rows() const {
  return primes.empty() ? 0 : offsets.back() + primes.back();
}

std::vector<EngramLayout> engram_layouts(const EngramConfig& config) {
  if (!config.enabled()) return {};
  require_range("engram_vocab_size", config.vocab_size, 1, kMaxEngramVocabSize);
  require_range("engram_max_ngram_size", config.max_ngram_size, 2, kMaxEngramNgramSize);
  require_range("engram_n_heads", config.n_heads, 1, kMaxEngramHeads);
  const auto layers = static_cast<std::int64_t>(config.layer_ids.size());
  require_range("number of hash columns of all engram layers", layers * config.columns(), 1,
                kMaxEngramColumns);

  // The specification restarts the search at vocab_size for each n-gram size and skips primes that
  // are taken. As every search starts at the same place and takes the smallest free prime, the
  // taken ones are always a gapless run from there: one running sequence gives the same result.
  PrimeSequence sequence(config.vocab_size);
  std::vector<EngramLayout> layouts(config.layer_ids.size());
  for (EngramLayout& layout : layouts) {
    std::int64_t offset = 0;
    for (int column = 0; column < config.columns(); ++column) {
      layout.primes.push_back(sequence.next());
      layout.offsets.push_back(offset);
      offset += layout.primes.back();
    }
  }
  return layouts;
}

}  // namespace deepinfer
