#pragma once

// The metadata buffers of a step: everything that differs from one step to the next. Names are
// those of the graph's metadata values. Per-row buffers have one entry per row of the step;
// block_table has one row per sequence slot.

#include <string>
#include <string_view>

#include "graph/view_recipe.h"

namespace deepinfer::step_inputs {

inline constexpr std::string_view kTokenIds = "token_ids";        ///< i32 [rows]
inline constexpr std::string_view kPositions = "positions";       ///< i32 [rows], -1 = padding
inline constexpr std::string_view kSlots = "slots";               ///< i32 [rows]
inline constexpr std::string_view kPrevRows = "prev_rows";        ///< i32 [rows], -1 = none
inline constexpr std::string_view kWantsLogits = "wants_logits";  ///< i32 [rows], 0 or 1
inline constexpr std::string_view kBlockTable = "block_table";    ///< i32 [slots, blocks]

/// Derived, i32 [rows]: how many compressed entries of ratio `ratio` each row sees, 0 = padding.
inline std::string visible(int ratio) { return "visible." + std::to_string(ratio); }

/// Packed n-gram rows of engram layer `layer`: u8 [rows, columns, head_dim + head_dim / 32], or f32
/// [rows, columns * head_dim] for unquantised checkpoints.
inline std::string engram_rows(int layer) { return "engram." + std::to_string(layer) + ".rows"; }

inline constexpr std::string_view kKvRoot = "kv_buffer";
inline constexpr std::string_view kStateRoot = "state_buffer";
inline constexpr std::string_view kStateF32Root = "state_buffer.f32";

inline std::string_view root_name(CacheRoot root) {
  switch (root) {
    case CacheRoot::kv:
      return kKvRoot;
    case CacheRoot::state:
      return kStateRoot;
    case CacheRoot::state_f32:
      return kStateF32Root;
  }
  return "?";
}
/// The root whose graph value is called `name`.
inline CacheRoot root_called(std::string_view name) {
  for (const CacheRoot root : kCacheRoots)
    if (root_name(root) == name) return root;
  return CacheRoot::kv;
}

}  // namespace deepinfer::step_inputs
