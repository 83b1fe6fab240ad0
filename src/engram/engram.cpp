#include "engram/engram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "deepinfer/error.h"
#include "engram/numpy_random.h"

namespace deepinfer {
std::vector<std::uint64_t> engram_multipliers(int layer, int max_ngram_size,
                                              std::int64_t compressed_vocab) {
  // Bounded so that any id times any multiplier stays below 2^63.
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t bound =
      std::max<std::uint64_t>(1, kLargest / static_cast<std::uint64_t>(compressed_vocab) / 2);
  NumpyRandom random(10007ULL * static_cast<std::uint64_t>(layer));
  std::vector<std::uint64_t> multipliers(static_cast<std::size_t>(max_ngram_size));
  for (std::uint64_t& multiplier : multipliers) multiplier = 2 * random.below(bound) + 1;
  return multipliers;
}

std::vector<HashColumn> hash_columns(const EngramLayout& layout) {
  std::vector<HashColumn> columns;
  columns.reserve(layout.primes.size());
  for (std::size_t column = 0; column < layout.primes.size(); ++column)
    columns.push_back({.prime = FixedDivisor(static_cast<std::uint64_t>(layout.primes[column])),
                       .offset = layout.offsets[column]});
  return columns;
}

void pad_blocked(std::span<std::int64_t> window, std::int64_t position, std::int64_t pad) {
  bool blocked = false;
  for (std::size_t back = 0; back < window.size(); ++back) {
    blocked = blocked || position < static_cast<std::int64_t>(back) || window[back] == kDeadToken;
    if (blocked) window[back] = pad;
  }
}

void hash_ngrams(std::span<const std::int64_t> tokens, std::span<const std::uint64_t> multipliers,
                 std::span<const HashColumn> columns, int heads, std::span<std::int64_t> ids) {
  std::uint64_t hash = static_cast<std::uint64_t>(tokens[0]) * multipliers[0];
  std::size_t column = 0;
  for (std::size_t back = 1; back < tokens.size(); ++back) {
    hash ^= static_cast<std::uint64_t>(tokens[back]) * multipliers[back];
    for (int head = 0; head < heads; ++head, ++column)
      ids[column] =
          static_cast<std::int64_t>(columns[column].prime.remainder(hash)) + columns[column].offset;
  }
}

std::shared_ptr<const Engram> Engram::open(std::shared_ptr<const Checkpoint> checkpoint,
                                           const Tokenizer& tokenizer, EngramMode mode) {
  const ModelConfig& config = checkpoint->config();
  auto engram = std::shared_ptr<Engram>(new Engram());
  engram->checkpoint_ = checkpoint;
  engram->token_map_ = build_checked_token_map(tokenizer, config, checkpoint->directory());
  engram->columns_ = config.engram.columns();
  engram->heads_ = config.engram.n_heads;
  engram->row_bytes_ = static_cast<std::size_t>(config.quantized ? config.engram.head_dim +
                                                                       config.engram.head_dim / 32
                                                                 : config.engram.head_dim * 4);
  engram->pad_ =
      engram->token_map_.compressed[static_cast<std::size_t>(config.engram.pad_token_id)];
  const std::vector<EngramLayout> layouts = engram_layouts(config.engram);
  for (std::size_t table = 0; table < layouts.size(); ++table) {
    const int layer = config.engram.layer_ids[table];
    engram->tables_.push_back(
        {.multipliers = engram_multipliers(layer, config.engram.max_ngram_size,
                                           config.engram.compressed_vocab_size),
         .columns = hash_columns(layouts[table]),
         .reader = make_row_reader(*checkpoint, layer, mode)});
  }
  return engram;
}

void Engram::row_ids(int table, std::span<const std::int32_t> tokens, std::int64_t position,
                     std::span<std::int64_t> ids) const {
  const Table& entry = tables_[static_cast<std::size_t>(table)];
  // Not cleared: that costs as much as the hashes. What lies before the start is padded unread.
  std::array<std::int64_t, kMaxEngramNgramSize> storage;  // NOLINT
  const std::span<std::int64_t> window(storage.data(), entry.multipliers.size());
  for (std::size_t back = 0; back < window.size(); ++back) {
    const std::int64_t at = position - static_cast<std::int64_t>(back);
    if (at < 0) break;
    window[back] =
        token_map_.compressed[static_cast<std::size_t>(tokens[static_cast<std::size_t>(at)])];
  }
  pad_blocked(window, position, pad_);
  hash_ngrams(window, entry.multipliers, entry.columns, heads_, ids);
}

void Engram::gather(int table, std::span<const std::int64_t> ids, std::byte* out) const {
  tables_[static_cast<std::size_t>(table)].reader->read(ids, out);
}

}  // namespace deepinfer
