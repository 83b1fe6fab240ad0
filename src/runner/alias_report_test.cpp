// Overlaps of graph inputs, with bindings made up for it, and at a real capture.

#include "runner/alias_report.h"

#include "graph/graph_builder.h"
#include "runner/fake_backend_test.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

/// Every value where the test puts it; addresses are never read.
class MadeUpBindings : public Bindings {
 public:
  std::map<std::string, std::uintptr_t> addresses;

  std::byte* storage(const Value& value) const override { return at(value.name); }
  std::vector<WeightRef> weights(const Value& value) const override {
    std::vector<WeightRef> refs;
    for (const std::string& name : value.tensor_names)
      refs.push_back({.format = WeightFormat::plain,
                      .dtype = DType::f32,
                      .shape = {value.shape[0], value.shape[1]},
                      .data = at(name),
                      .scales = nullptr});
    return refs;
  }

 private:
  std::byte* at(const std::string& name) const {
    return reinterpret_cast<std::byte*>(addresses.at(name));
  }
};

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kRecord = 66;  // Q8 of 64

/// Two written columns of `root`, two weights and two metadata buffers.
class Aliases : public testing::Test {
 protected:
  Graph graph(std::int64_t second_offset, std::int64_t row_bytes) {
    GraphBuilder b(2);
    const ValueId root = b.root("root", 4096);
    const auto column = [&](std::int64_t offset, const char* name) {
      return b.add(CacheView{.recipe = {.root = CacheRoot::state,
                                        .offset = offset,
                                        .row_bytes = row_bytes,
                                        .shape = {kRows, 4, kRecord},
                                        .dtype = DType::u8}},
                   {root}, name);
    };
    const ValueId x = b.metadata("x", DType::f32, {2, 64});
    const ValueId slots = b.metadata("slots", DType::i32, {2});
    const ValueId positions = b.metadata("positions", DType::i32, {2});
    for (const auto& [offset, name] :
         {std::pair{std::int64_t{0}, "first"}, {second_offset, "second"}})
      b.add(WindowWrite{}, {x, column(offset, name), slots, positions}, "");
    const ValueId one = b.weight("one", WeightFormat::plain, {64, 64});
    const ValueId two = b.weight("two", WeightFormat::plain, {64, 64});
    b.output("y", b.add(Linear{}, {b.add(Linear{}, {x, one}, "h"), two}, "y"));
    return b.finish();
  }

  std::string report(const Graph& g) {
    const std::vector<AliasInput> inputs = alias_inputs(g, bindings_);
    return describe(inputs, find_aliases(inputs));
  }
  std::string refusal(const Graph& g) {
    const std::vector<AliasInput> inputs = alias_inputs(g, bindings_);
    try {
      refuse_undeclared(inputs, find_aliases(inputs));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  static constexpr std::int64_t kColumn = 4 * kRecord;
  MadeUpBindings bindings_ = [] {
    MadeUpBindings b;
    b.addresses = {{"root", 0x10000},      {"x", 0x20000},   {"slots", 0x30000},
                   {"positions", 0x30040}, {"one", 0x40000}, {"two", 0x50000}};
    return b;
  }();
};

TEST_F(Aliases, ColumnsThatInterleaveShareNothingWithEachOther) {
  const Graph g = graph(kColumn, 2 * kColumn);  // block-major: side by side in every row
  EXPECT_EQ(refusal(g), "accepted");
  const std::string text = report(g);
  EXPECT_TRUE(has(text, "2 pairs share bytes, 0 of them not allowed")) << text;
  EXPECT_TRUE(has(text,
                  "alias: root (root) [0x10000, 0x11000) and second (column of root) "
                  "[0x10108, 0x10630), 3 rows of 264 bytes every 528: allowed, one is "
                  "declared a column of the other"))
      << text;
}

TEST_F(Aliases, ColumnsThatShareOneByteAreRefused) {
  const Graph g = graph(kColumn - 1, 2 * kColumn);
  const std::string text = refusal(g);
  EXPECT_TRUE(has(text, "[graph input first] overlaps graph input second: 'first' is written"))
      << text;
  EXPECT_TRUE(has(text, "both hold the byte at 0x10107")) << text;
  EXPECT_TRUE(has(report(g), "NOT ALLOWED"));
}

TEST_F(Aliases, WeightsMayBeOneTensor) {
  bindings_.addresses["two"] = bindings_.addresses["one"];
  const Graph g = graph(kColumn, 2 * kColumn);
  EXPECT_EQ(refusal(g), "accepted");
  EXPECT_TRUE(has(report(g),
                  "alias: one (weight) [0x40000, 0x44000) and two (weight) [0x40000, "
                  "0x44000): allowed, both are only read"))
      << report(g);
}

TEST_F(Aliases, MetadataMayShareNothing) {
  bindings_.addresses["positions"] = bindings_.addresses["slots"] + 4;  // two rows of 4 bytes
  const Graph g = graph(kColumn, 2 * kColumn);
  EXPECT_TRUE(has(refusal(g), "[graph input slots] overlaps graph input positions")) << refusal(g);
  bindings_.addresses["positions"] = bindings_.addresses["slots"] + 8;
  EXPECT_EQ(refusal(g), "accepted");
}

TEST_F(Aliases, AWeightInsideARootIsRefused) {
  bindings_.addresses["two"] = bindings_.addresses["root"] + 4095;
  EXPECT_TRUE(
      has(refusal(graph(kColumn, 2 * kColumn)), "[graph input root] overlaps graph input two"));
}

TEST_F(Aliases, AColumnViewedTwiceIsOneInput) {
  const Graph g = graph(0, 2 * kColumn);
  EXPECT_EQ(refusal(g), "accepted");
  EXPECT_TRUE(has(report(g), "1 pairs share bytes")) << report(g);
}

class CaptureAliases : public RunnerFixture {
 protected:
  FakeDevice device_;
};

TEST_F(CaptureAliases, ARealCaptureSharesColumnsAndNothingElse) {
  Options o = options();
  o.alias_debug = true;
  GraphRunner runner(2, o, false, fake_backend(device_));
  EXPECT_EQ(runner.alias_report(), "");
  capture(runner);
  const std::string text = runner.alias_report();
  EXPECT_NE(text.find("alias: state_buffer (root)"), std::string::npos) << text;
  EXPECT_NE(text.find("layers.0.attn.swa_cache"), std::string::npos) << text;
  EXPECT_NE(text.find(", 0 of them not allowed"), std::string::npos) << text;
  runner.destroy();
  EXPECT_EQ(runner.alias_report(), "");
}

TEST_F(CaptureAliases, AnUndeclaredOverlapIsAnErrorAtCaptureAskedForOrNot) {
  std::vector<CacheColumn> columns = caches_->layout().columns();
  std::vector<CacheColumn*> windows;
  for (CacheColumn& column : columns)
    if (column.kind == CacheKind::swa_cache) windows.push_back(&column);
  windows[1]->recipe.offset = windows[0]->recipe.offset + 16;
  const CacheLayout changed = caches_->layout().with_columns(columns);
  caches_.emplace(changed);
  GraphRunner runner(2, options(), false, fake_backend(device_));
  const std::string text = error_text([&] { capture(runner); });
  EXPECT_NE(text.find("overlaps graph input layers.1.attn.swa_cache"), std::string::npos) << text;
  EXPECT_TRUE(runner.graphs().empty());
}

TEST_F(CaptureAliases, NobodyAskedNothingSaid) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);
  EXPECT_EQ(runner.alias_report(), "");
}

}  // namespace
}  // namespace deepinfer
