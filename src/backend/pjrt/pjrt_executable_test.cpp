#include "backend/pjrt/pjrt_executable.h"

#include <gtest/gtest.h>

#include "backend/op_fixture_test.h"
#include "backend/pjrt/client/fake_plugin_test.h"
#include "graph/regions.h"

// Programs that cannot be compiled. The fake plug-in's programs give a copy of their first
// argument.

namespace deepinfer::pjrt {
namespace {

using test::fake_control;

/// What runs announce, as text.
class Announcements : public StepObserver {
 public:
  void op_begins(int node) override { text_ += " op" + std::to_string(node); }
  void op_ends(int /*node*/) override { text_ += "."; }
  void region_begins(int call) override { text_ += " [" + std::to_string(call); }
  void region_ends(int /*call*/) override { text_ += " ]"; }
  void work_begins(int /*member*/) override {}
  void work_ends(int /*member*/) override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class PjrtExecutableOnTheFake : public testing::Test {
 protected:
  PjrtExecutableOnTheFake()
      : x_(fixture_.activation("x", {2, 2}, {1, 2, 3, 4})),
        norm_(fixture_.plain_weight("norm", {2}, {0.5F, 2})) {
    test::reset_fake();
    client_ = Client::open(Plugin::load(DEEPINFER_FAKE_PJRT_PLUGIN));
    memory_.emplace(client_);
    graph_ = make_graph();
    fixture_.reset_memory();
  }
  void TearDown() override {
    programs_.reset();
    memory_.reset();
    client_.reset();
    EXPECT_EQ(fake_control().live, 0);
    EXPECT_EQ(fake_control().misuses, 0);
  }

  /// Two layers, each a region of norm and scale and one of a scale; a norm behind them.
  std::shared_ptr<const Graph> make_graph() {
    fixture_.begin_graph();
    GraphBuilder b(2);
    const ValueId norm = fixture_.declare(b, norm_);
    ValueId now = b.add(Scale{.factor = 3}, {fixture_.declare(b, x_)}, "first");
    for (const std::string layer : {"layers.0", "layers.1"}) {
      const GraphBuilder::Scope outer(b, layer);
      {
        const GraphBuilder::Scope part(b, "attn");
        now = b.add(RmsNorm{.eps = 1}, {now, norm}, "norm");
        now = b.add(Scale{.factor = 2}, {now}, "out");
      }
      const GraphBuilder::Scope part(b, "ffn");
      now = b.add(Scale{.factor = 5}, {now}, "out");
    }
    b.output("y", b.add(RmsNorm{.eps = 1}, {now, norm}, "last"));
    return std::make_shared<const Graph>(b.finish());
  }

  /// Programs whose text has this fail from here on.
  static void refuse(const char* text) {
    fake_control().refused_text = text;
    fake_control().refusals = 1000;
  }
  PjrtExecutable executable(GraphMode mode, bool split_regions) {
    return {client_, programs(), *memory_,
            graph_,  fixture_,   {.mode = mode, .split_regions = split_regions, .lowering = {}}};
  }
  ProgramStore& programs() {
    programs_.emplace(client_, "", 3, "");
    return *programs_;
  }
  std::string fault_of(GraphMode mode, bool split_regions) {
    try {
      executable(mode, split_regions);
    } catch (const Error& error) {
      return error.what();
    }
    return "no fault";
  }

  OpFixture fixture_;
  Given x_;
  Given norm_;
  std::shared_ptr<const Client> client_;
  std::optional<DeviceStore> memory_;
  std::shared_ptr<const Graph> graph_;
  std::optional<ProgramStore> programs_;
};

TEST_F(PjrtExecutableOnTheFake, E7_a_region_that_cannot_be_compiled_runs_op_by_op) {
  const RegionPlan plan = plan_regions(*graph_);
  ASSERT_EQ(plan.kinds.size(), 2U);
  ASSERT_EQ(plan.kinds[0].name, "attn.1");
  refuse("module @attn");
  const auto got = executable(GraphMode::regions, true);
  // The other region and the nodes outside are as they would be. Of the region's own, one is new:
  // its norm is the one behind the layers.
  EXPECT_EQ(programs_->counts().compiled, 4U);
  EXPECT_EQ(got.info().executables, 4U);
  ASSERT_EQ(got.notes().size(), 1U);  // both layers have this one region
  EXPECT_TRUE(test::says(got.notes()[0],
                         {"region attn.1 of 2 rows cannot be compiled and runs op by op: [region "
                          "attn.1 of 2 rows] PJRT_Client_Compile failed twice with INTERNAL",
                          "compiler exited with 70", "tensor<2x2xf32>"}));
}

TEST_F(PjrtExecutableOnTheFake, E7_it_runs_and_is_announced_as_the_region_that_it_is) {
  Announcements all;
  Announcements split;
  for (Announcements* announcements : {&all, &split}) {
    if (announcements == &split) refuse("module @attn");
    auto got = executable(GraphMode::regions, true);
    got.observe(announcements);
    got.run();
    const TensorRef y = got.output("y");
    EXPECT_EQ(std::vector<float>(y.as<float>(), y.as<float>() + 4),
              (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(got.notes().empty(), announcements == &all);
  }
  EXPECT_EQ(all.text(), " op0. [0 ] [1 ] [2 ] [3 ] op7.");
  EXPECT_EQ(split.text(), " op0. [0 op1. op2. ] [1 ] [2 op4. op5. ] [3 ] op7.");
}

TEST_F(PjrtExecutableOnTheFake, E7_without_a_fallback_it_is_an_error_by_name_and_shape) {
  refuse("module @attn");
  EXPECT_TRUE(test::says(fault_of(GraphMode::regions, false),
                         {"[region attn.1 of 2 rows] PJRT_Client_Compile failed twice",
                          "compiler exited with 70", "tensor<2x2xf32>"}));
  EXPECT_EQ(fake_control().compiles, 5);  // four programs, one of them tried again
}

TEST_F(PjrtExecutableOnTheFake, TheFirstFaultInTheGraphsOrderIsToldWhateverTheThreadsDo) {
  refuse("module");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(test::says(fault_of(GraphMode::eager, true), {"[scale of 2 rows] "}));
    EXPECT_TRUE(test::says(fault_of(GraphMode::whole, true), {"[step of 2 rows] "}));
    // The regions' nodes cannot be compiled either.
    EXPECT_TRUE(test::says(fault_of(GraphMode::regions, true), {"[scale of 2 rows] "}));
  }
}

}  // namespace
}  // namespace deepinfer::pjrt
