// Every op's module on the CPU plug-in against the reference, on random operands.

#include <gtest/gtest.h>

#include <set>

#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/facts/device_facts.h"
#include "backend/pjrt/module_backend_test.h"
#include "backend/pjrt/op_cases_test.h"
#include "backend/test_backends_test.h"

namespace deepinfer::pjrt {
namespace {

using deepinfer::test::BuiltCase;
using deepinfer::test::OpCase;

// Products and sums are in fp32, as those of the cpu backend.
constexpr const char* kLikeCpu = "scalar";

struct Way {
  std::string name;
  std::int64_t rows = 1;
  GraphMode mode = GraphMode::eager;
  TypeSupport types = {};
  bool offset_parameters = false;
  const DeviceFacts* facts = nullptr;  // whose rules the modules obey
};

Way by_neurons_facts() {
  Way way{.name = "neuron",
          .rows = 6,
          .types = neuron_facts().types,
          .offset_parameters = true,
          .facts = &neuron_facts()};
  way.types.piece_bytes = 4096;
  return way;
}

std::vector<Way> ways() {
  return {
      {.name = "one_row", .rows = 1},
      {.name = "whole", .rows = 6, .mode = GraphMode::whole, .offset_parameters = true},
      {.name = "in_pieces",
       .rows = 6,
       .types = {.otherwise = Decoding::arithmetic, .piece_bytes = 4096}},
      {.name = "native_types", .rows = 2, .types = {.f8e4m3fn = true, .f4e2m1fn = true}},
      by_neurons_facts(),
  };
}

class PjrtOps : public testing::TestWithParam<std::tuple<OpCase, Way>> {};

void expect_same(const OpRun& actual, const OpRun& expected, const Graph& graph, bool bf16) {
  ASSERT_EQ(actual.results(), expected.results());
  for (std::size_t r = 0; r < expected.results(); ++r) {
    const bool whole_numbers = graph.value(graph.outputs[r].value).dtype == DType::i32;
    if (whole_numbers) {
      EXPECT_EQ(actual.i32(r), expected.i32(r)) << "result " << r;
      continue;
    }
    EXPECT_TRUE(is_close(actual.f32(r), expected.f32(r),
                         bf16 ? bf16_tolerance_of(kLikeCpu) : tolerance_of(kLikeCpu)))
        << "result " << r;
  }
}

/// The graph that the fixture runs, for its results' types.
Graph graph_of(OpFixture& fixture, const BuiltCase& built, std::int64_t rows) {
  fixture.begin_graph();
  GraphBuilder builder(static_cast<int>(rows));
  std::vector<ValueId> ids;
  for (const Given given : built.operands) ids.push_back(fixture.declare(builder, given));
  const std::vector<ValueId> results = builder.add_all(built.op, ids, {"r0", "r1", "r2", "r3"});
  for (std::size_t i = 0; i < results.size(); ++i)
    builder.output("r" + std::to_string(i), results[i]);
  return builder.finish();
}

TEST_P(PjrtOps, KeepTheRulesOfTheDevice) {
  const auto& [op_case, way] = GetParam();
  if (way.facts == nullptr) return;
  OpFixture fixture;
  const BuiltCase built = op_case.build(fixture, way.rows);
  const Graph graph = graph_of(fixture, built, way.rows);
  LowerOptions lowering{.types = way.types, .offset_parameters = way.offset_parameters};
  lowering.plain_type = [&](const Value& value) { return fixture.weights(value).front().dtype; };
  for (const Node& node : graph.nodes) {
    if (std::holds_alternative<CacheView>(node.op)) continue;
    const std::string text = lower_node(graph, node, lowering).text;
    for (const Violation& fault : check_module(text, way.facts->rules))
      ADD_FAILURE() << fault.line << ": " << fault.what << "\n" << text;
  }
}

TEST_P(PjrtOps, AgreeWithTheReference) {
  const auto client = test::cpu_client();
  if (client == nullptr) GTEST_SKIP() << "no plug-in";
  const auto& [op_case, way] = GetParam();
  OpFixture fixture;
  const BuiltCase built = op_case.build(fixture, way.rows);
  const auto modules = test::module_backend(client, way.types, way.offset_parameters);
  const auto reference = backend_named("reference");
  const OpRun actual = fixture.run(*modules, built.op, built.operands, way.mode);
  const OpRun expected = fixture.run(*reference, built.op, built.operands, way.mode);
  const Graph graph = graph_of(fixture, built, way.rows);
  expect_same(actual, expected, graph, op_case.bf16);
  // Quantised records and states are exact: they are made of values that both were given.
  for (std::size_t i = 0; i < built.operands.size(); ++i) {
    const auto written = static_cast<int>(i) == written_operand(built.op);
    if (written) {
      EXPECT_EQ(actual.view<std::uint8_t>(built.operands[i]),
                expected.view<std::uint8_t>(built.operands[i]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PjrtOps,
                         testing::Combine(testing::ValuesIn(deepinfer::test::op_cases()),
                                          testing::ValuesIn(ways())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
                         });

/// A new op needs a case here before it can run on a device.
TEST(PjrtOpCases, CoverEveryOp) {
  std::set<std::size_t> covered = {Op(CacheView{}).index()};
  for (const OpCase& op_case : deepinfer::test::op_cases()) {
    OpFixture fixture;
    covered.insert(op_case.build(fixture, 2).op.index());
  }
  EXPECT_EQ(covered.size(), std::variant_size_v<Op>);
}

}  // namespace
}  // namespace deepinfer::pjrt
