#include "cache/cache_layout.h"

#include <fmt/format.h>

#include <utility>

#include "core/quantise.h"
#include "deepinfer/error.h"
#include "graph/strided_range.h"

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
      columns.push_back(column(layer, CacheKind::ca_state,
                               geometry.typed_roots ? CacheRoot::state_f32 : CacheRoot::state,
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
      columns_(make_columns(config, geometry)) {
  for (const CacheRoot root : kCacheRoots)
    root_bytes_[static_cast<std::size_t>(root)] = arrange(columns_, root, geometry.layout);
}

std::vector<CacheRoot> CacheLayout::roots() const {
  std::vector<CacheRoot> roots = {CacheRoot::kv, CacheRoot::state};
  if (root_bytes(CacheRoot::state_f32) > 0) roots.push_back(CacheRoot::state_f32);
  return roots;
}

CacheLayout CacheLayout::with_columns(std::vector<CacheColumn> columns) const {
  CacheLayout changed = *this;
  changed.columns_ = std::move(columns);
  return changed;
}

void CacheLayout::verify() const {
  for (const CacheColumn& column : columns_) {
    const ViewRecipe& recipe = column.recipe;
    const std::string expected = recipe.column_fault(root_bytes(recipe.root));
    if (!expected.empty())
      throw Error::bad_input(
          "cache column " + column.name,
          fmt::format("is not a column slice of the {} root", name_of(recipe.root)),
          {.expected = expected, .got = recipe.to_string(), .hint = {}});
  }
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (std::size_t j = i + 1; j < columns_.size(); ++j) {
      if (columns_[i].recipe.root != columns_[j].recipe.root) continue;
      const auto shared = shared_byte(range_of(columns_[i].recipe), range_of(columns_[j].recipe));
      if (shared.has_value())
        throw Error::bad_input("cache column " + columns_[i].name,
                               fmt::format("shares bytes with column {}", columns_[j].name),
                               {.expected = "columns apart",
                                .got = fmt::format("both hold byte {} of the {} root", *shared,
                                                   name_of(columns_[i].recipe.root)),
                                .hint = {}});
    }
}

const CacheColumn* CacheLayout::find(int layer, CacheKind kind) const {
  for (const CacheColumn& column : columns_)
    if (column.layer == layer && column.kind == kind) return &column;
  return nullptr;
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
      "layout {}: {} blocks of {} tokens (block {} is scratch), {} slots (slot {} is scratch)\n",
      block_major ? "block_major" : "layer_major", geometry_.blocks, geometry_.block_tokens,
      geometry_.scratch_block(), geometry_.slots, geometry_.scratch_slot());
  text += fmt::format("KV buffer {} bytes, state buffer {} bytes, window ring {} positions\n",
                      root_bytes(CacheRoot::kv), state_bytes(), ring_);
  text += geometry_.typed_roots
              ? fmt::format("f32 columns in an allocation of their own, state_f32, of {} bytes\n",
                            root_bytes(CacheRoot::state_f32))
              : "columns of all types share their root's allocation\n";
  text += fmt::format("{:<22} {:<9} {:>6} {:>10} {:>10} {:>8}  {}\n", "column", "root", "rows",
                      "row bytes", "offset", "bytes", "shape");
  for (const CacheColumn& column : columns_) {
    const ViewRecipe& recipe = column.recipe;
    text += fmt::format("{:<22} {:<9} {:>6} {:>10} {:>10} {:>8}  {}{}\n", column.name,
                        name_of(recipe.root), recipe.shape[0], recipe.row_bytes, recipe.offset,
                        recipe.column_bytes(), name_of(recipe.dtype), recipe.shape.to_string());
  }
  return text;
}

}  // namespace deepinfer
