#include "backend/pjrt/root_copies.h"

#include <gtest/gtest.h>

#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"
#include "core/quantise.h"
#include "graph/graph_builder.h"

// Fault E4: a program that copies a root is refused, honest work of any size is not.

namespace deepinfer::pjrt {
namespace {

using test::fake_control;

constexpr std::int64_t kWindowRing = 20;
constexpr std::int64_t kChannels = 64;
constexpr auto kRowBytes = static_cast<std::int64_t>(record_bytes(Quantiser::q8, kChannels));
constexpr std::int64_t kManySlots = 4096;
constexpr std::int64_t kLargeRoot = kManySlots * kWindowRing * kRowBytes;
static_assert(kLargeRoot > kSmallestRoot);

/// A step that writes its rows into the window and reads them. `reads_first`: and reads what was
/// there before, in no order that a compiler can see: it keeps a copy for that.
Graph window_step(std::int64_t slots, bool reads_first) {
  GraphBuilder b(2);
  const ValueId root = b.root("state", slots * kWindowRing * kRowBytes);
  const ValueId ring = b.add(CacheView{.recipe = {.root = CacheRoot::state,
                                                  .offset = 0,
                                                  .row_bytes = kWindowRing * kRowBytes,
                                                  .shape = {slots, kWindowRing, kRowBytes},
                                                  .dtype = DType::u8}},
                             {root}, "ring");
  const ValueId q = b.metadata("q", DType::f32, {2, 4 * kChannels});
  const ValueId kv = b.metadata("kv", DType::f32, {2, kChannels});
  const ValueId slot = b.metadata("slots", DType::i32, {2});
  const ValueId at = b.metadata("at", DType::i32, {2});
  const ValueId sink = b.weight("sink", WeightFormat::plain, {4});
  const SparseAttention attention{.heads = 4, .window = 16, .softmax_scale = 0.5F};
  if (reads_first) b.output("before", b.add(attention, {q, ring, slot, at, sink}, "before"));
  b.add(WindowWrite{}, {kv, ring, slot, at}, "write");
  b.output("after", b.add(attention, {q, ring, slot, at, sink}, "after"));
  return b.finish();
}

/// What the check says of the graph's program; empty: nothing.
std::string verdict(const std::shared_ptr<const Client>& client, const Graph& graph,
                    std::size_t compiles) {
  ProgramStore programs(client, compile_option_bytes({}), 1, "");
  std::vector<Piece> pieces = cut(graph, {}, GraphMode::whole, {});
  make_programs(programs, pieces);
  if (pieces.front().made.fault) std::rethrow_exception(pieces.front().made.fault);
  std::string text;
  try {
    refuse_root_copies(programs, pieces, graph, {}, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failed);
    text = error.what();
  }
  EXPECT_EQ(programs.counts().compiled, compiles);
  return text;
}

class RootCopiesOnTheFake : public testing::Test {
 protected:
  RootCopiesOnTheFake() {
    test::reset_fake();
    client_ = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
  }
  void TearDown() override {
    client_.reset();
    EXPECT_EQ(fake_control().live, 0);
    EXPECT_EQ(fake_control().misuses, 0);
  }

  std::shared_ptr<const Client> client_;
};

TEST_F(RootCopiesOnTheFake, E4_ACopiedRootIsRefusedWithItsBytes) {
  fake_control().copies_roots = true;
  fake_control().temporary_bytes = 1000;
  EXPECT_TRUE(
      test::says(verdict(client_, window_step(kManySlots, false), 2),
                 {"[step of 2 rows] copies a cache buffer that it is to update in place",
                  "got " + std::to_string(kLargeRoot + 1000) + " bytes with a cache buffer of " +
                      std::to_string(kLargeRoot) + ", and " +
                      std::to_string(2 * kLargeRoot + 1000) + " with twice the buffers",
                  "--graph-mode"}));
}

TEST_F(RootCopiesOnTheFake, HonestWorkIsNotRefusedHoweverLargeItIs) {
  fake_control().temporary_bytes = kLargeRoot - 1;  // too little for a copy: not even looked into
  EXPECT_EQ(verdict(client_, window_step(kManySlots, false), 1), "");
  fake_control().temporary_bytes = 100 * kLargeRoot;
  EXPECT_EQ(verdict(client_, window_step(kManySlots, false), 2), "");
}

TEST_F(RootCopiesOnTheFake, SmallRootsAreNotAskedAbout) {
  fake_control().copies_roots = true;
  fake_control().temporary_bytes = 100 * kLargeRoot;
  EXPECT_EQ(verdict(client_, window_step(3, false), 1), "");
}

TEST(RootCopies, E4_TheCpuPluginUpdatesInPlaceUnlessAReaderHasNoOrder) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  EXPECT_EQ(verdict(client, window_step(kManySlots, false), 1), "");
  EXPECT_TRUE(test::says(verdict(client, window_step(kManySlots, true), 2),
                         {"[step of 2 rows] copies a cache buffer"}));
}

}  // namespace
}  // namespace deepinfer::pjrt
