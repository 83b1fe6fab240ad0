#pragma once

// The metadata buffers of a step: everything that differs from one step to the next. Names are
// those of the graph's metadata values. Per-row buffers have one entry per row of the step;
// block_table has one row per sequence slot.

#include <string>
#include <string_view>

namespace deepinfer::step_inputs {

inline constexpr std::string_view kTokenIds = "token_ids";        ///< i32 [rows]
inline constexpr std::string_view kPositions = "positions";       ///< i32 [rows], -1 = padding
inline constexpr std::string_view kSlots = "slots";               ///< i32 [rows]
inline constexpr std::string_view kPrevRows = "prev_rows";        ///< i32 [rows], -1 = none
inline constexpr std::string_view kWantsLogits = "wants_logits";  ///< i32 [rows], 0 or 1
inline constexpr std::string_view kBlockTable = "block_table";    ///< i32 [slots, blocks]

/// Packed n-gram rows of engram layer `layer`: u8 [rows, columns, head_dim + head_dim / 32], or f32
/// [rows, columns * head_dim] for unquantised checkpoints.
inline std::string engram_rows(int layer) { return "engram." + std::to_string(layer) + ".rows"; }

inline constexpr std::string_view kKvRoot = "kv_buffer";
inline constexpr std::string_view kStateRoot = "state_buffer";

}  // namespace deepinfer::step_inputs
