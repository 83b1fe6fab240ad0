// The planned executor against the eager one, over a graph whose values share and take over memory.

#include "backend/host/planned_executable.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/host/host_backend.h"
#include "backend/op_fixture_test.h"
#include "backend/test_backends_test.h"
#include "deepinfer/error.h"

namespace deepinfer::host {
namespace {

constexpr int kRows = 5;
constexpr std::int64_t kWidth = 64;
constexpr std::byte kNanByte{0xff};  // as fp32, bf16, E4M3 and E8M0 a NaN; as i32 -1

/// A small layer: norm (in place of a copy), a quantised linear, router, experts, window write and
/// attention over what was written.
class SmallGraph {
 public:
  SmallGraph() {
    const Given x = fixture_.activation("x", {kRows, kWidth});
    const Given norm = fixture_.weight("norm", WeightFormat::plain, {kWidth});
    const Given wq = fixture_.weight("wq", WeightFormat::fp8, {2 * kWidth, kWidth});
    const Given wkv = fixture_.weight("wkv", WeightFormat::fp8, {kWidth, kWidth});
    const Given wo = fixture_.weight("wo", WeightFormat::fp4, {kWidth, 2 * kWidth});
    const Given gate = fixture_.weight("gate", WeightFormat::plain, {6, kWidth});
    const Given bias = fixture_.plain_weight("bias", {6}, {0, 0.1F, 0, -0.1F, 0, 0});
    const Given w1 = fixture_.weight("w1", WeightFormat::fp4, {6, 96, kWidth});
    const Given w3 = fixture_.weight("w3", WeightFormat::fp4, {6, 96, kWidth});
    const Given w2 = fixture_.weight("w2", WeightFormat::fp4, {6, kWidth, 96});
    const Given s1 = fixture_.weight("s1", WeightFormat::fp8, {96, kWidth});
    const Given s3 = fixture_.weight("s3", WeightFormat::fp8, {96, kWidth});
    const Given s2 = fixture_.weight("s2", WeightFormat::fp8, {kWidth, 96});
    const Given sink = fixture_.plain_weight("sink", {2}, {0, 0.5F});
    const Given ring = fixture_.view("ring", DType::u8, {2, 8, kWidth + kWidth / 32});
    // Rows of two sequences and one of padding.
    const Given slots = fixture_.integers("slots", {kRows}, {0, 0, 1, 1, 0});
    const Given positions = fixture_.integers("positions", {kRows}, {0, 1, 0, 1, -1});

    GraphBuilder builder(kRows);
    const auto id = [&](Given given) { return fixture_.declare(builder, given); };
    const Linear official{.quantise_input = true, .rounding = Rounding::bf16};
    const ValueId copy = builder.add(Scale{.factor = 1}, {id(x)}, "copy");
    const ValueId normed = builder.add(RmsNorm{.eps = 1e-6F}, {copy, id(norm)}, "normed");
    const ValueId q = builder.add(official, {normed, id(wq)}, "q");
    const ValueId kv = builder.add(official, {normed, id(wkv)}, "kv");
    builder.add(WindowWrite{}, {kv, id(ring), id(slots), id(positions)}, "");
    const ValueId o = builder.add(
        SparseAttention{.heads = 2, .window = 4, .softmax_scale = 0.125F, .online_bf16 = true},
        {q, id(ring), id(slots), id(positions), id(sink)}, "o");
    const ValueId y = builder.add(official, {o, id(wo)}, "y");
    const ValueId logits = builder.add(Linear{}, {y, id(gate)}, "logits");
    const std::vector<ValueId> routed =
        builder.add_all(Router{.experts_per_token = 2}, {logits, id(bias)}, {"experts", "weights"});
    const ValueId moe = builder.add(
        Moe{.swiglu_limit = 2.5F, .quantise_input = true, .rounding = Rounding::bf16},
        {y, routed[0], routed[1], id(positions), id(w1), id(w3), id(w2), id(s1), id(s3), id(s2)},
        "moe");
    builder.output("experts", routed[0]);
    builder.output("o", o);
    builder.output("moe", moe);
    graph_ = std::make_shared<const Graph>(builder.finish());
  }

  const std::shared_ptr<const Graph>& graph() const { return graph_; }
  OpFixture& fixture() { return fixture_; }

  static std::vector<std::byte> outputs(const Executable& executable) {
    std::vector<std::byte> bytes;
    for (const char* name : {"experts", "o", "moe"}) {
      const TensorRef ref = executable.output(name);
      const auto length = ref.shape.elements() * static_cast<std::int64_t>(size_of(ref.dtype));
      bytes.insert(bytes.end(), ref.data, ref.data + length);
    }
    return bytes;
  }

 private:
  OpFixture fixture_;
  std::shared_ptr<const Graph> graph_;
};

class HostExecutables : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::byte> run(GraphMode mode, int threads = 2) {
    const std::unique_ptr<Backend> backend = backend_named(GetParam(), threads);
    small_.fixture().reset_memory();
    const auto executable = backend->compile(small_.graph(), small_.fixture(), mode);
    executable->run();
    return SmallGraph::outputs(*executable);
  }

  SmallGraph small_;
};

TEST_P(HostExecutables, PlannedGivesTheBytesOfEager) {
  const std::vector<std::byte> eager = run(GraphMode::eager);
  EXPECT_TRUE(
      std::any_of(eager.begin(), eager.end(), [](std::byte b) { return b != std::byte{0}; }));
  EXPECT_EQ(run(GraphMode::whole), eager);
}

TEST_P(HostExecutables, ThreadsDoNotChangeBytes) {
  const std::vector<std::byte> alone = run(GraphMode::whole, 1);
  EXPECT_EQ(run(GraphMode::whole, 3), alone);
}

TEST_P(HostExecutables, RunsAgainToTheSameBytes) {
  const std::unique_ptr<Backend> backend = backend_named(GetParam());
  small_.fixture().reset_memory();
  const auto executable = backend->compile(small_.graph(), small_.fixture(), GraphMode::whole);
  executable->run();
  const std::vector<std::byte> first = SmallGraph::outputs(*executable);
  executable->run();
  EXPECT_EQ(SmallGraph::outputs(*executable), first);
}

// A kernel that reads what it never wrote (its results, its workspace, bytes a dead value left)
// sees NaN here instead of the zeros of a fresh arena. Fault id B16.
TEST_P(HostExecutables, NothingDependsOnWhatTheArenaHeld) {
  const std::vector<std::byte> expected = run(GraphMode::whole);
  const std::unique_ptr<Backend> backend = backend_named(GetParam());
  small_.fixture().reset_memory();
  const auto executable = backend->compile(small_.graph(), small_.fixture(), GraphMode::whole);
  const auto& planned = dynamic_cast<const PlannedExecutable&>(*executable);
  const std::span<std::byte> arena = planned.arena();
  ASSERT_EQ(arena.size(), executable->info().arena_bytes);
  std::fill(arena.begin(), arena.end(), kNanByte);
  executable->run();
  EXPECT_EQ(SmallGraph::outputs(*executable), expected);
}

TEST_P(HostExecutables, ExecutablesOfABackendShareOneArena) {
  const std::unique_ptr<Backend> backend = backend_named(GetParam());
  small_.fixture().reset_memory();
  const auto first = backend->compile(small_.graph(), small_.fixture(), GraphMode::whole);
  const auto second = backend->compile(small_.graph(), small_.fixture(), GraphMode::whole);
  EXPECT_EQ(first->output("moe").data, second->output("moe").data);
}

TEST_P(HostExecutables, UnknownOutputIsAnError) {
  const std::unique_ptr<Backend> backend = backend_named(GetParam());
  small_.fixture().reset_memory();
  for (const GraphMode mode : {GraphMode::eager, GraphMode::whole}) {
    const auto executable = backend->compile(small_.graph(), small_.fixture(), mode);
    EXPECT_THROW(executable->output("nothing"), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, HostExecutables, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer::host
