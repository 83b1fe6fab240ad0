#pragma once

// Where every cache of every layer lies inside the two roots (model specification 5).
//
//   KV buffer     rows = blocks of `block_tokens` positions    ca_cache, ica_cache of KV sources
//   state buffer  rows = sequence slots                        swa_cache of all layers, ca_state
//
// The last block and the last slot are scratch: no sequence ever owns them, padding rows point at
// them. With `typed_roots` the state buffer is two allocations: records and, apart, fp32 columns. A
// CacheLayout is a plain immutable value.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/model_config.h"
#include "deepinfer/options.h"
#include "graph/view_recipe.h"

namespace deepinfer {

enum class CacheKind : std::uint8_t {
  swa_cache,  ///< u8 [slots, ring, record]   window KV, Q8 records
  ca_cache,   ///< u8 [blocks, entries, record]   compressed KV, Q4E records
  ica_cache,  ///< u8 [blocks, entries, record]   index keys, Q4U records
  ca_state,   ///< f32 [slots, 2, head_dim]   pending (a, g) of an unfinished ratio-2 group
};

std::string_view name_of(CacheKind kind);

struct CacheGeometry {
  int block_tokens = 64;    ///< positions per block; even
  std::int64_t blocks = 0;  ///< scratch block included
  int slots = 0;            ///< scratch slot included
  int max_step_rows = 1;    ///< rows of the largest step (prefill bucket or largest batch)
  Layout layout = Layout::block_major;
  /// Columns of another type than bytes get an allocation of their own: for compilers that take
  /// differently typed views of one allocation for overlapping (Backend's CacheNeeds).
  bool typed_roots = false;

  std::int64_t scratch_block() const { return blocks - 1; }
  int scratch_slot() const { return slots - 1; }
};

struct CacheColumn {
  std::string name;  ///< "layers.2.ca_cache"
  int layer = 0;
  CacheKind kind{};
  ViewRecipe recipe;
};

class CacheLayout {
 public:
  CacheLayout(const ModelConfig& config, const CacheGeometry& geometry);

  const CacheGeometry& geometry() const { return geometry_; }
  /// Positions the window ring holds: the window and one step's rows, so that a chunk never
  /// overwrites entries that its own earlier rows still need.
  int ring() const { return ring_; }
  const std::vector<CacheColumn>& columns() const { return columns_; }
  /// The column of a layer, or nullptr if the layer owns none of that kind.
  const CacheColumn* find(int layer, CacheKind kind) const;
  /// Bytes of a whole root; 0 if there is none.
  std::int64_t root_bytes(CacheRoot root) const {
    return root_bytes_[static_cast<std::size_t>(root)];
  }
  /// Bytes of the state buffer, in one root or two.
  std::int64_t state_bytes() const {
    return root_bytes(CacheRoot::state) + root_bytes(CacheRoot::state_f32);
  }
  /// The roots that are allocated: both buffers, and the third if a column lies in it.
  std::vector<CacheRoot> roots() const;

  /// Checks that every column is a slice of its root's rows and that no two share a byte. Throws
  /// Error (bad_input) naming the columns. True by construction: for layouts that are read back or
  /// changed by hand.
  void verify() const;
  /// This layout with other columns, not checked: verify() tells.
  CacheLayout with_columns(std::vector<CacheColumn> columns) const;

  /// Bytes of one row of the KV buffer (one block of all layers).
  static std::int64_t block_bytes(const ModelConfig& config, int block_tokens);
  /// Bytes of one row of the state buffer (one sequence).
  static std::int64_t slot_bytes(const ModelConfig& config, int max_step_rows);

  /// Table of all columns, for `inspect --caches`.
  std::string describe() const;

 private:
  CacheGeometry geometry_;
  int ring_ = 0;
  std::vector<CacheColumn> columns_;
  std::array<std::int64_t, kCacheRoots.size()> root_bytes_{};
};

}  // namespace deepinfer
