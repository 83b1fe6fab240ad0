#include "cache/cache_layout.h"

#include <fmt/format.h>

#include "core/quantise.h"

namespace deepinfer {
namespace {

// Columns start at multiples of this in every row: enough for fp32 state and for vector loads.
constexpr std::int64_t kColumnAlignment = 16;

std::int64_t align(std::int64_t bytes) {
  return (bytes + kColumnAlignment - 1) / kColumnAlignment * kColumnAlignment;
}

int ring_size(const ModelConfig& config, int max_step_rows) {
  return config.sliding_window + max_step_rows - 1;
}

std::int64_t record(Quantiser quantiser, int width) {
  return static_cast<std::int64_t>(record_bytes(quantiser, static_cast<std::size_t>(width)));
}

CacheColumn column(int layer, CacheKind kind, CacheRoot root, const Shape& shape, DType dtype) {
  return {.name = fmt::format("layers.{}.{}", layer, name_of(kind)),
          .layer = layer,
          .kind = kind,
          .recipe = {.root = root, .offset = 0, .row_bytes = 0, .shape = shape, .dtype = dtype}};
}

/// All columns with shapes, offsets still to be given.
std::vector<CacheColumn> make_columns(const ModelConfig& config, const CacheGeometry& geometry) {
  std::vector<CacheColumn> columns;
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    columns.push_back(column(layer, CacheKind::swa_cache, CacheRoot::state,
                             {geometry.slots, ring_size(config, geometry.max_step_rows),
                              record(Quantiser::q8, config.head_dim)},
                             DType::u8));
    if (!config.is_kv_source(layer)) continue;
    const std::int64_t entries = geometry.block_tokens / config.ratio(layer);
    columns.push_back(column(layer, CacheKind::ca_cache, CacheRoot::kv,
                             {geometry.blocks, entries, record(Quantiser::q4e, config.head_dim)},
                             DType::u8));
    columns.push_back(column(
        layer, CacheKind::ica_cache, CacheRoot::kv,
        {geometry.blocks, entries, record(Quantiser::q4u, config.index_head_dim)}, DType::u8));
    if (config.ratio(layer) > 1)
      columns.push_back(column(layer, CacheKind::ca_state, CacheRoot::state,
                               {geometry.slots, 2, config.head_dim}, DType::f32));
  }
  return columns;
}

/// Gives every column of `root` its offset and row stride; returns the root's bytes.
std::int64_t arrange(std::vector<CacheColumn>& columns, CacheRoot root, Layout layout) {
  std::int64_t row_bytes = 0;
  std::int64_t total = 0;
  for (CacheColumn& column : columns) {
    if (column.recipe.root != root) continue;
    const std::int64_t bytes = align(column.recipe.column_bytes());
    const std::int64_t rows = column.recipe.shape[0];
    column.recipe.offset = layout == Layout::block_major ? row_bytes : total;
    column.recipe.row_bytes = bytes;
    row_bytes += bytes;
    total += bytes * rows;
  }
  if (layout == Layout::block_major)
    for (CacheColumn& column : columns)
      if (column.recipe.root == root) column.recipe.row_bytes = row_bytes;
  return total;
}

std::int64_t row_bytes_of(const ModelConfig& config, const CacheGeometry& one_row, CacheRoot root) {
  std::vector<CacheColumn> columns = make_columns(config, one_row);
  return arrange(columns, root, Layout::block_major);
}

}  // namespace

std::string_view name_of(CacheKind kind) {
  switch (kind) {
    case CacheKind::swa_cache:
      return "swa_cache";
    case CacheKind::ca_cache:
      return "ca_cache";
    case CacheKind::ica_cache:
      return "ica_cache";
    case CacheKind::ca_state:
      return "ca_state";
  }
  return "?";
}

CacheLayout::CacheLayout(const ModelConfig& config, const CacheGeometry& geometry)
    : geometry_(geometry),
      ring_(ring_size(config, geometry.max_step_rows)),
      columns_(make_columns(config, geometry)),
      kv_bytes_(arrange(columns_, CacheRoot::kv, geometry.layout)),
      state_bytes_(arrange(columns_, CacheRoot::state, geometry.layout)) {}

const CacheColumn* CacheLayout::find(int layer, CacheKind kind) const {
  for (const CacheColumn& column : columns_)
    if (column.layer == layer && column.kind == kind) return &column;
  return nullptr;
}

std::int64_t CacheLayout::root_bytes(CacheRoot root) const {
  return root == CacheRoot::kv ? kv_bytes_ : state_bytes_;
}

std::int64_t CacheLayout::block_bytes(const ModelConfig& config, int block_tokens) {
  return row_bytes_of(config,
                      {.block_tokens = block_tokens, .blocks = 1, .slots = 1, .max_step_rows = 1},
                      CacheRoot::kv);
}

std::int64_t CacheLayout::slot_bytes(const ModelConfig& config, int max_step_rows) {
  return row_bytes_of(config,
                      {.block_tokens = 2, .blocks = 1, .slots = 1, .max_step_rows = max_step_rows},
                      CacheRoot::state);
}

std::string CacheLayout::describe() const {
  const bool block_major = geometry_.layout == Layout::block_major;
  std::string text = fmt::format(
      "layout {}: {} blocks of {} tokens (block {} is scratch), {} slots (slot {} is scratch)\n"
      "KV buffer {} bytes, state buffer {} bytes, window ring {} positions\n"
      "{:<24} {:<6} {:>12} {:>10} {:>10}  {}\n",
      block_major ? "block_major" : "layer_major", geometry_.blocks, geometry_.block_tokens,
      geometry_.scratch_block(), geometry_.slots, geometry_.scratch_slot(), kv_bytes_, state_bytes_,
      ring_, "column", "root", "offset", "row bytes", "bytes", "shape");
  for (const CacheColumn& column : columns_) {
    const ViewRecipe& recipe = column.recipe;
    text +=
        fmt::format("{:<24} {:<6} {:>12} {:>10} {:>10}  {}{}\n", column.name,
                    recipe.root == CacheRoot::kv ? "kv" : "state", recipe.offset, recipe.row_bytes,
                    recipe.column_bytes(), name_of(recipe.dtype), recipe.shape.to_string());
  }
  return text;
}

}  // namespace deepinfer
