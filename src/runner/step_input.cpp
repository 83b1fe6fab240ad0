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
      gather_engram_rows(sequence, position);
    }
  }

  void pad() {
    const auto begin = static_cast<std::size_t>(row_);
    std::fill(token_ids_.begin() + row_, token_ids_.end(), 0);
    std::fill(positions_.begin() + row_, positions_.end(), -1);
    std::fill(slots_.begin() + row_, slots_.end(), geometry_.scratch_slot());
    std::fill(prev_rows_.begin() + row_, prev_rows_.end(), -1);
    std::fill(wants_logits_.begin() + row_, wants_logits_.end(), 0);
    fill_row(geometry_.scratch_slot(), {});
    if (model_.engram == nullptr) return;
    for (int table = 0; table < model_.engram->tables(); ++table) {
      const std::span<std::byte> rows = engram_rows(table);
      std::fill(rows.begin() + static_cast<std::ptrdiff_t>(begin * model_.engram->position_bytes()),
                rows.end(), std::byte{0});
    }
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
    check_index("number of blocks", static_cast<std::int64_t>(sequence.blocks.size()),
                static_cast<std::int64_t>(table_width_) + 1);
    for (const std::int32_t block : sequence.blocks)
      check_index("block", block, geometry_.scratch_block());
    for (std::int64_t at = sequence.first_position; at < end; ++at)
      check_index("token id", sequence.tokens[static_cast<std::size_t>(at)],
                  model_.config().vocab_size);
  }

  void fill_row(int slot, std::span<const std::int32_t> blocks) {
    const auto row =
        block_table_.subspan(static_cast<std::size_t>(slot) * table_width_, table_width_);
    std::copy(blocks.begin(), blocks.end(), row.begin());
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(blocks.size()), row.end(),
              static_cast<std::int32_t>(geometry_.scratch_block()));
  }

  void fill_block_table(const SequenceMetadata& sequence) {
    fill_row(sequence.slot, sequence.blocks);
  }

  std::span<std::byte> engram_rows(int table) const {
    const int layer = model_.config().engram.layer_ids[static_cast<std::size_t>(table)];
    return input_.raw(step_inputs::engram_rows(layer));
  }

  void gather_engram_rows(const SequenceMetadata& sequence, std::int64_t position) {
    if (model_.engram == nullptr) return;
    std::array<std::int64_t, kMaxEngramColumns> storage;  // NOLINT: written before it is read
    const std::span<std::int64_t> ids(storage.data(),
                                      static_cast<std::size_t>(model_.engram->columns()));
    for (int table = 0; table < model_.engram->tables(); ++table) {
      model_.engram->row_ids(table, sequence.tokens, position, ids);
      model_.engram->gather(table, ids,
                            engram_rows(table).data() +
                                static_cast<std::size_t>(row_) * model_.engram->position_bytes());
    }
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
