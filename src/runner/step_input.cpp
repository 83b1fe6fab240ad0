#include "runner/step_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "deepinfer/error.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

/// Throws unless 0 <= value < limit.
void check_index(std::string_view what, std::int64_t value, std::int64_t limit) {
  if (value < 0 || value >= limit)
    throw Error::bad_input(
        "step metadata", fmt::format("{} is out of range", what),
        {.expected = fmt::format("0 to {}", limit - 1), .got = std::to_string(value), .hint = {}});
}

class StepWriter {
 public:
  StepWriter(const Model& model, const KvCaches& caches, InputMetadata& input)
      : model_(model),
        geometry_(caches.layout().geometry()),
        input_(input),
        token_ids_(input.i32(step_inputs::kTokenIds)),
        positions_(input.i32(step_inputs::kPositions)),
        slots_(input.i32(step_inputs::kSlots)),
        prev_rows_(input.i32(step_inputs::kPrevRows)),
        wants_logits_(input.i32(step_inputs::kWantsLogits)),
        block_table_(input.i32(step_inputs::kBlockTable)),
        table_width_(block_table_.size() / static_cast<std::size_t>(geometry_.slots)) {}

  void add(const SequenceMetadata& sequence) {
    check(sequence);
    fill_block_table(sequence);
    for (int i = 0; i < sequence.rows; ++i, ++row_) {
      const auto row = static_cast<std::size_t>(row_);
      const std::int64_t position = sequence.first_position + i;
      token_ids_[row] = sequence.tokens[static_cast<std::size_t>(position)];
      positions_[row] = static_cast<std::int32_t>(position);
      slots_[row] = sequence.slot;
      prev_rows_[row] = i == 0 ? -1 : row_ - 1;
      const bool last = i + 1 == sequence.rows;
      wants_logits_[row] = sequence.all_logits || (last && sequence.wants_logits) ? 1 : 0;
    }
  }

  /// The n-gram rows of the sequences that were added, table by table: a buffer is looked up by
  /// name once a step, not once a row.
  void gather_engram_rows(std::span<const SequenceMetadata> sequences) const {
    if (model_.engram == nullptr) return;
    const Engram& engram = *model_.engram;
    std::array<std::int64_t, kMaxEngramColumns> storage;  // NOLINT: written before it is read
    const std::span<std::int64_t> ids(storage.data(), static_cast<std::size_t>(engram.columns()));
    for (int table = 0; table < engram.tables(); ++table) {
      const std::span<std::byte> rows = engram_rows(table);
      std::byte* out = rows.data();
      for (const SequenceMetadata& sequence : sequences)
        for (int i = 0; i < sequence.rows; ++i, out += engram.position_bytes()) {
          engram.row_ids(table, sequence.tokens, sequence.first_position + i, ids);
          engram.gather(table, ids, out);
        }
      std::fill(out, rows.data() + rows.size(), std::byte{0});
    }
  }

  /// What is left of the per-row fields, and the block table row that padding reads.
  void pad() {
    std::fill(token_ids_.begin() + row_, token_ids_.end(), 0);
    std::fill(positions_.begin() + row_, positions_.end(), -1);
    std::fill(slots_.begin() + row_, slots_.end(), geometry_.scratch_slot());
    std::fill(prev_rows_.begin() + row_, prev_rows_.end(), -1);
    std::fill(wants_logits_.begin() + row_, wants_logits_.end(), 0);
    fill_row(geometry_.scratch_slot(), {});
  }

 private:
  void check(const SequenceMetadata& sequence) const {
    check_index("slot", sequence.slot, geometry_.scratch_slot());
    const std::int64_t end = sequence.first_position + sequence.rows;
    if (sequence.rows < 1 || row_ + sequence.rows > input_.rows())
      throw Error::bad_input("step metadata", "the step has more rows than the graph",
                             {.expected = fmt::format("1 to {} more", input_.rows() - row_),
                              .got = std::to_string(sequence.rows),
                              .hint = {}});
    check_index("first position", sequence.first_position,
                static_cast<std::int64_t>(sequence.tokens.size()));
    check_index("last position", end - 1, static_cast<std::int64_t>(sequence.tokens.size()));
    const auto held = static_cast<std::int64_t>(sequence.blocks.size()) * geometry_.block_tokens;
    check_index("last position (of the sequence's blocks)", end - 1, held);
    check_index("number of blocks", static_cast<std::int64_t>(begun_blocks(sequence).size()),
                static_cast<std::int64_t>(table_width_) + 1);
    for (const std::int32_t block : sequence.blocks)
      check_index("block", block, geometry_.scratch_block());
    for (std::int64_t at = first_read(sequence); at < end; ++at)
      check_index("token id", sequence.tokens[static_cast<std::size_t>(at)],
                  model_.config().vocab_size);
  }

  /// Those of its blocks that hold a position at the step's end: all that the graph may look at.
  std::span<const std::int32_t> begun_blocks(const SequenceMetadata& sequence) const {
    const std::int64_t end = sequence.first_position + sequence.rows;
    return sequence.blocks.first(
        static_cast<std::size_t>((end + geometry_.block_tokens - 1) / geometry_.block_tokens));
  }

  /// The first position whose token the step reads: the n-grams of its first row begin there.
  std::int64_t first_read(const SequenceMetadata& sequence) const {
    if (model_.engram == nullptr) return sequence.first_position;
    return std::max<std::int64_t>(
        0, sequence.first_position - model_.config().engram.max_ngram_size + 1);
  }

  void fill_row(int slot, std::span<const std::int32_t> blocks) {
    const auto row =
        block_table_.subspan(static_cast<std::size_t>(slot) * table_width_, table_width_);
    std::copy(blocks.begin(), blocks.end(), row.begin());
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(blocks.size()), row.end(),
              static_cast<std::int32_t>(geometry_.scratch_block()));
  }

  void fill_block_table(const SequenceMetadata& sequence) {
    fill_row(sequence.slot, begun_blocks(sequence));
  }

  std::span<std::byte> engram_rows(int table) const {
    const int layer = model_.config().engram.layer_ids[static_cast<std::size_t>(table)];
    return input_.raw(step_inputs::engram_rows(layer));
  }

  const Model& model_;
  const CacheGeometry& geometry_;
  InputMetadata& input_;
  std::span<std::int32_t> token_ids_, positions_, slots_, prev_rows_, wants_logits_, block_table_;
  std::size_t table_width_;
  int row_ = 0;
};

}  // namespace

PrepareInput make_prepare_input(const Model& model, const KvCaches& caches) {
  return [&model, &caches](std::span<const SequenceMetadata> sequences, InputMetadata& input) {
    StepWriter writer(model, caches, input);
    for (const SequenceMetadata& sequence : sequences)
      if (sequence.rows > 0) writer.add(sequence);
    writer.pad();
    writer.gather_engram_rows(sequences);
  };
}

SequenceMetadata padding_sequence(const CacheGeometry& geometry) {
  return {.tokens = {},
          .first_position = 0,
          .rows = 0,
          .slot = geometry.scratch_slot(),
          .blocks = {},
          .wants_logits = false,
          .all_logits = false};
}

}  // namespace deepinfer
