#include "graph/canonicalise_views.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"
#include "graph/graph_builder.h"
#include "graph/printer.h"

namespace deepinfer {
namespace {

constexpr std::int64_t kRing = 8 * 66;  // bytes of a window of 8 records of 64 channels
constexpr std::int64_t kRow = 2 * kRing;

ViewRecipe ring(std::int64_t offset) {
  return {.root = CacheRoot::state,
          .offset = offset,
          .row_bytes = kRow,
          .shape = {3, 8, 66},
          .dtype = DType::u8};
}

/// Two layers that write their column of one root; the first is viewed twice, the second first.
Graph two_layers() {
  GraphBuilder graph(2);
  const ValueId kv = graph.metadata("kv", DType::f32, {2, 64});
  const ValueId slots = graph.metadata("slots", DType::i32, {2});
  const ValueId positions = graph.metadata("positions", DType::i32, {2});
  const ValueId root = graph.root("state_buffer", 3 * kRow);
  const auto write = [&](std::string_view place, std::int64_t offset, float factor) {
    const GraphBuilder::Scope scope(graph, place);
    const ValueId scaled = graph.add(Scale{.factor = factor}, {kv}, "scaled");
    const ValueId view = graph.add(CacheView{.recipe = ring(offset)}, {root}, "swa_cache");
    graph.add(WindowWrite{}, {scaled, view, slots, positions}, "");
    return scaled;
  };
  write("layers.1", kRing, 2);
  write("layers.0", 0, 3);
  graph.output("y", write("layers.1", kRing, 4));
  return graph.finish();
}

std::string canonicalise_error(const Graph& graph) {
  try {
    canonicalise_views(graph);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CanonicaliseViews, EveryColumnOnceInFrontInTheOrderOfTheRoot) {
  EXPECT_EQ(to_text(canonicalise_views(two_layers())),
            "graph of 2 rows, 8 ops\n"
            "  metadata $kv: f32[2, 64]\n"
            "  metadata $slots: i32[2]\n"
            "  metadata $positions: i32[2]\n"
            "  root $state_buffer: u8[3168]\n"
            "layers.0:\n"
            "  %swa_cache: u8[3, 8, 66] = cache_view($state_buffer) {offset=0, row_bytes=1056}\n"
            "layers.1:\n"
            "  %swa_cache: u8[3, 8, 66] = cache_view($state_buffer) {offset=528, row_bytes=1056}\n"
            "  %scaled: f32[2, 64] = scale($kv) {factor=2}\n"
            "  window_write(%scaled, %swa_cache, $slots, $positions)\n"
            "layers.0:\n"
            "  %scaled: f32[2, 64] = scale($kv) {factor=3}\n"
            "  window_write(%scaled, %swa_cache, $slots, $positions)\n"
            "layers.1:\n"
            "  %scaled.2: f32[2, 64] = scale($kv) {factor=4}\n"
            "  window_write(%scaled.2, %swa_cache, $slots, $positions)\n"
            "output y = %layers.1.scaled.2\n");
}

TEST(CanonicaliseViews, TwiceIsOnce) {
  const Graph once = canonicalise_views(two_layers());
  EXPECT_EQ(to_text(canonicalise_views(once)), to_text(once));
}

TEST(CanonicaliseViews, ViewsThatDifferInTypeOnlyAreTwo) {
  Graph graph = two_layers();
  auto& view = std::get<CacheView>(graph.nodes[7].op);  // the second view of layers.1
  view.recipe.dtype = DType::i8;
  graph.values[static_cast<std::size_t>(graph.nodes[7].results[0])].dtype = DType::i8;
  graph.nodes.erase(graph.nodes.begin() + 8);  // its writer, which wants u8
  EXPECT_EQ(canonicalise_views(graph).nodes.size(), graph.nodes.size());
}

TEST(CanonicaliseViews, UnreadGivenValuesStay) {
  Graph graph = two_layers();
  graph.values.push_back(graph.values[0]);
  graph.values.back().name = "unread";
  EXPECT_EQ(canonicalise_views(graph).values.size(), graph.values.size() - 1);
}

struct Slice {
  const char* what;
  std::int64_t offset;
  std::int64_t row_bytes;
  DType dtype;
  const char* error;
};

class NoColumnSlice : public testing::TestWithParam<Slice> {};

TEST_P(NoColumnSlice, IsRefusedWithItsShapeAndStride) {
  const Slice& slice = GetParam();
  Graph graph = two_layers();
  Node& node = graph.nodes[1];
  ASSERT_TRUE(std::holds_alternative<CacheView>(node.op));
  ViewRecipe& recipe = std::get<CacheView>(node.op).recipe;
  recipe.offset = slice.offset;
  recipe.row_bytes = slice.row_bytes;
  recipe.dtype = slice.dtype;
  EXPECT_EQ(canonicalise_error(graph),
            std::string("[graph op cache_view at layers.1] is not a column slice of its root, ") +
                slice.error);
}

INSTANTIATE_TEST_SUITE_P(
    All, NoColumnSlice,
    testing::Values(
        Slice{"rows_overlap", 0, 527, DType::u8,
              "expected a row stride of at least 528 bytes, got shape [3, 8, 66] at offset 0, "
              "row stride 527 bytes"},
        Slice{"past_the_row", kRing + 16, kRow, DType::u8,
              "expected an end within the root's 3168 bytes, got shape [3, 8, 66] at offset 544, "
              "row stride 1056 bytes"},
        Slice{"into_the_next_row", 16 + kRing / 2, 3 * kRing / 2, DType::u8,
              "expected offset and 528 column bytes within the row stride, got shape [3, 8, 66] at "
              "offset 280, row stride 792 bytes"},
        Slice{"before_the_root", -16, kRow, DType::u8,
              "expected an end within the root's 3168 bytes, got shape [3, 8, 66] at offset -16, "
              "row stride 1056 bytes"},
        Slice{"far_away", std::numeric_limits<std::int64_t>::max(),
              std::numeric_limits<std::int64_t>::max(), DType::u8,
              "expected an end within the root's 3168 bytes, got shape [3, 8, 66] at offset "
              "9223372036854775807, row stride 9223372036854775807 bytes"},
        Slice{"misaligned", 1, kRow, DType::bf16,
              "expected offset and row stride divisible by 2, got shape [3, 8, 66] at offset 1, "
              "row stride 1056 bytes"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(NoColumnSlice, ARowOfNoBytesOrTooManyIsRefused) {
  for (const Shape& shape : {Shape{3, 0, 66}, Shape{0, 8, 66}, Shape{},
                             Shape{3, std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
    ViewRecipe recipe = ring(0);
    recipe.shape = shape;
    EXPECT_EQ(recipe.fault(3 * kRow), "extents of 1 and more within the root's 3168 bytes")
        << shape.to_string();
  }
}

TEST(NoColumnSlice, AColumnInOneRunMayStartAnywhere) {
  ViewRecipe run = ring(kRow);
  run.row_bytes = kRing;
  EXPECT_EQ(run.column_fault(kRow + 3 * kRing), "");
  EXPECT_EQ(run.column_fault(kRow + 3 * kRing - 1), "an end within the root's 2639 bytes");
}

}  // namespace
}  // namespace deepinfer
