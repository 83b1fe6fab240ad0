#include "cache/cache_layout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "cache/kv_caches.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

ModelConfig released_config() {
  ModelConfig config;
  config.num_hidden_layers = 40;
  config.head_dim = 512;
  config.index_head_dim = 128;
  config.sliding_window = 128;
  config.compress_ratios = {0, 0};
  config.compress_ratios.insert(config.compress_ratios.end(), 18, 2);
  config.compress_ratios.insert(config.compress_ratios.end(), 20, 1);
  config.kv_source_layer_ids = {2, 8, 14, 20};
  config.index_source_layer_ids = {2, 8, 14, 20, 24, 28, 32, 36};
  return config;
}

CacheGeometry geometry(Layout layout) {
  return {.block_tokens = 64, .blocks = 5, .slots = 3, .max_step_rows = 7, .layout = layout};
}

TEST(CacheLayout, ReleasedModelTakes890BytesPerToken) {
  // Model specification 5.3: three ratio-2 sources and one ratio-1 source of 288 + 68 bytes.
  EXPECT_EQ(CacheLayout::block_bytes(released_config(), 64), 890 * 64);
}

TEST(CacheLayout, ReleasedStateIsWindowsAndThreeTails) {
  // 40 windows of 128 records of 528 bytes, 3 tails of 2 * 512 floats; one row per step.
  EXPECT_EQ(CacheLayout::slot_bytes(released_config(), 1), 2703360 + 12288);
}

/// Layout, and whether fp32 columns lie apart.
class CacheLayoutKinds : public testing::TestWithParam<std::tuple<Layout, bool>> {
 protected:
  static CacheLayout layout() {
    CacheGeometry g = geometry(std::get<0>(GetParam()));
    g.typed_roots = std::get<1>(GetParam());
    return {released_config(), g};
  }
};

TEST_P(CacheLayoutKinds, E1_no_two_columns_share_a_byte_and_all_lie_in_their_root) {
  const CacheLayout layout = CacheLayoutKinds::layout();
  std::map<CacheRoot, std::vector<bool>> used;
  for (const CacheColumn& column : layout.columns()) {
    const ViewRecipe& recipe = column.recipe;
    auto& bytes = used[recipe.root];
    bytes.resize(static_cast<std::size_t>(layout.root_bytes(recipe.root)));
    for (std::int64_t row = 0; row < recipe.shape[0]; ++row) {
      const std::int64_t begin = recipe.offset + row * recipe.row_bytes;
      ASSERT_LE(begin + recipe.column_bytes(), layout.root_bytes(recipe.root)) << column.name;
      for (std::int64_t at = begin; at < begin + recipe.column_bytes(); ++at) {
        ASSERT_FALSE(bytes[static_cast<std::size_t>(at)]) << column.name << " row " << row;
        bytes[static_cast<std::size_t>(at)] = true;
      }
    }
  }
}

// Fault E5: two logical arrays are one buffer by accident.
TEST_P(CacheLayoutKinds, E5_every_column_holds_its_own_pattern) {
  KvCaches caches(layout());
  const auto pattern = [](const CacheColumn& column, std::int64_t row) {
    return static_cast<std::byte>(
        (column.layer * 31 + static_cast<int>(column.kind) * 7 + static_cast<int>(row)) % 251);
  };
  for (const CacheColumn& column : caches.layout().columns())
    for (std::int64_t row = 0; row < column.recipe.shape[0]; ++row)
      std::fill_n(caches.row(column, row), column.recipe.column_bytes(), pattern(column, row));
  for (const CacheColumn& column : caches.layout().columns())
    for (std::int64_t row = 0; row < column.recipe.shape[0]; ++row)
      for (std::int64_t at = 0; at < column.recipe.column_bytes(); ++at)
        ASSERT_EQ(caches.row(column, row)[at], pattern(column, row)) << column.name;
}

TEST_P(CacheLayoutKinds, EveryRecipeIsAColumnSliceOfItsRoot) { EXPECT_NO_THROW(layout().verify()); }

INSTANTIATE_TEST_SUITE_P(Layouts, CacheLayoutKinds,
                         testing::Combine(testing::Values(Layout::block_major, Layout::layer_major),
                                          testing::Bool()));

std::string refusal(const CacheLayout& layout) {
  try {
    layout.verify();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CacheLayout, AViewThatIsNoColumnSliceIsRefusedWithShapeAndStride) {
  const CacheLayout layout(released_config(), geometry(Layout::block_major));
  ASSERT_EQ(refusal(layout), "accepted");
  std::vector<CacheColumn> columns = layout.columns();
  columns[3].recipe.row_bytes = 100;
  const std::string text = refusal(layout.with_columns(columns));
  EXPECT_NE(text.find("[cache column " + columns[3].name + "] is not a column slice of the"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("shape " + columns[3].recipe.shape.to_string()), std::string::npos) << text;
  EXPECT_NE(text.find("row stride 100 bytes"), std::string::npos) << text;
}

TEST(CacheLayout, ColumnsThatShareAByteAreRefusedByName) {
  const CacheLayout layout(released_config(), geometry(Layout::block_major));
  std::vector<CacheColumn> columns = layout.columns();
  columns[1].recipe.offset -= 4;  // into the end of its neighbour's rows
  const std::string text = refusal(layout.with_columns(columns));
  EXPECT_NE(text.find("[cache column layers.0.swa_cache] shares bytes with column "
                      "layers.1.swa_cache"),
            std::string::npos)
      << text;
}

TEST(CacheLayout, TypedRootsPutFp32ColumnsApartAndTakeNoMore) {
  CacheGeometry g = geometry(Layout::block_major);
  const CacheLayout shared(released_config(), g);
  g.typed_roots = true;
  const CacheLayout apart(released_config(), g);
  EXPECT_EQ(shared.roots(), (std::vector<CacheRoot>{CacheRoot::kv, CacheRoot::state}));
  EXPECT_EQ(apart.roots(),
            (std::vector<CacheRoot>{CacheRoot::kv, CacheRoot::state, CacheRoot::state_f32}));
  for (const CacheColumn& column : apart.columns())
    EXPECT_EQ(column.recipe.root == CacheRoot::state_f32, column.recipe.dtype == DType::f32)
        << column.name;
  EXPECT_EQ(apart.root_bytes(CacheRoot::kv), shared.root_bytes(CacheRoot::kv));
  EXPECT_EQ(apart.state_bytes(), shared.state_bytes());
  EXPECT_NE(apart.describe().find("f32 columns in an allocation of their own"), std::string::npos);
  EXPECT_NE(shared.describe().find("columns of all types share their root's allocation"),
            std::string::npos);
}

TEST(CacheLayout, AModelWithoutPartialGroupsHasNoThirdRoot) {
  ModelConfig config = released_config();
  config.compress_ratios.assign(40, 1);
  CacheGeometry g = geometry(Layout::layer_major);
  g.typed_roots = true;
  EXPECT_EQ(CacheLayout(config, g).roots().size(), 2U);
}

TEST(CacheLayout, BlockMajorPutsABlockSideBySide) {
  const CacheLayout layout(released_config(), geometry(Layout::block_major));
  const CacheColumn* first = layout.find(2, CacheKind::ca_cache);
  const CacheColumn* second = layout.find(2, CacheKind::ica_cache);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->recipe.row_bytes, 890 * 64);
  EXPECT_EQ(second->recipe.offset, first->recipe.offset + first->recipe.column_bytes());
}

TEST(CacheLayout, LayerMajorMakesColumnsContiguous) {
  const CacheLayout layout(released_config(), geometry(Layout::layer_major));
  for (const CacheColumn& column : layout.columns())
    EXPECT_LT(column.recipe.row_bytes - column.recipe.column_bytes(), 16) << column.name;
}

TEST(CacheLayout, RingHoldsWindowAndStep) {
  EXPECT_EQ(CacheLayout(released_config(), geometry(Layout::block_major)).ring(), 128 + 7 - 1);
}

TEST(CacheLayout, OnlySourcesOwnCompressedColumns) {
  const CacheLayout layout(released_config(), geometry(Layout::block_major));
  EXPECT_EQ(layout.find(3, CacheKind::ca_cache), nullptr);
  EXPECT_EQ(layout.find(20, CacheKind::ca_state), nullptr);  // ratio 1 has no partial group
  EXPECT_NE(layout.find(14, CacheKind::ca_state), nullptr);
}

TEST(RowAllocator, GivesLowestFreeFirstAndNeverTheScratchRow) {
  KvCaches caches(CacheLayout(released_config(), geometry(Layout::block_major)));
  std::set<std::int32_t> taken;
  while (caches.blocks().available() > 0) taken.insert(caches.blocks().take());
  EXPECT_EQ(taken, (std::set<std::int32_t>{0, 1, 2, 3}));
  caches.blocks().give(2);
  caches.blocks().give(0);
  EXPECT_EQ(caches.blocks().take(), 0);
  EXPECT_EQ(caches.blocks().take(), 2);
}

}  // namespace
}  // namespace deepinfer
