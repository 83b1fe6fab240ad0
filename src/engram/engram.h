#pragma once

// The n-gram tables of a model: which rows a position looks up, and their bytes. Everything here
// runs on the host before a step, into a metadata buffer (model specification 3).
//
// Immutable after open(); row_ids() and gather() may be called from any thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checkpoint/engram_layout.h"
#include "deepinfer/checkpoint.h"
#include "deepinfer/options.h"
#include "deepinfer/tokenizer.h"
#include "engram/fixed_divisor.h"
#include "engram/row_reader.h"
#include "engram/token_map.h"

namespace deepinfer {

/// Where one hash column looks: row `offset` + hash modulo `prime` of the table.
struct HashColumn {
  FixedDivisor prime;
  std::int64_t offset = 0;
};
std::vector<HashColumn> hash_columns(const EngramLayout& layout);

class Engram {
 public:
  /// Builds the token map and hash constants. Throws Error (bad_input) if the tokenizer compresses
  /// to another number of ids than the config says. REQUIRES: config().engram.enabled().
  static std::shared_ptr<const Engram> open(std::shared_ptr<const Checkpoint> checkpoint,
                                            const Tokenizer& tokenizer, EngramMode mode);

  int tables() const { return static_cast<int>(tables_.size()); }
  int columns() const { return columns_; }
  /// Bytes of the gathered rows of one position: columns() packed rows.
  std::size_t position_bytes() const { return static_cast<std::size_t>(columns_) * row_bytes_; }

  const TokenMap& token_map() const { return token_map_; }
  std::span<const std::uint64_t> multipliers(int table) const {
    return tables_[static_cast<std::size_t>(table)].multipliers;
  }

  /// Table rows that position `position` of a sequence looks up, in column order. `tokens` are the
  /// sequence's raw token ids from position 0 on, at least position + 1 of them.
  /// REQUIRES: ids.size() == columns().
  void row_ids(int table, std::span<const std::int32_t> tokens, std::int64_t position,
               std::span<std::int64_t> ids) const;

  /// Copies the packed rows `ids` (E4M3 codes then E8M0 scales each; f32 if the checkpoint is not
  /// quantised) to `out`, one after the other. Throws Error (failed) if the file cannot be read.
  void gather(int table, std::span<const std::int64_t> ids, std::byte* out) const;

 private:
  struct Table {
    std::vector<std::uint64_t> multipliers;  // one per look-back
    std::vector<HashColumn> columns;
    std::unique_ptr<RowReader> reader;
  };

  Engram() = default;

  std::shared_ptr<const Checkpoint> checkpoint_;
  TokenMap token_map_;
  std::vector<Table> tables_;
  int columns_ = 0;
  int heads_ = 0;
  std::size_t row_bytes_ = 0;
  std::int32_t pad_ = 0;  // compressed id
};

/// Odd multipliers of engram layer `layer`, one per look-back (model specification 3.3).
std::vector<std::uint64_t> engram_multipliers(int layer, int max_ngram_size,
                                              std::int64_t compressed_vocab);

/// A compressed id that takes no part (image positions).
inline constexpr std::int64_t kDeadToken = -1;

/// Replaces what a position at `position` may not look back to by `pad`: positions before the
/// start, dead tokens, and everything behind them (latching). `window[i]` is the compressed id i
/// positions back; entries before the start may hold anything.
void pad_blocked(std::span<std::int64_t> window, std::int64_t position, std::int64_t pad);

/// Hash of one position: `tokens[i]` is the compressed id i positions back (pad where blocked).
/// Writes one row id per column, n-gram size major (model specification 3.4).
void hash_ngrams(std::span<const std::int64_t> tokens, std::span<const std::uint64_t> multipliers,
                 std::span<const HashColumn> columns, int heads, std::span<std::int64_t> ids);

}  // namespace deepinfer
