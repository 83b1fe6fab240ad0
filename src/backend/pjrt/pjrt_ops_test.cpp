// Every op's module on the CPU plug-in against the reference, on random operands.

#include <gtest/gtest.h>

#include "backend/op_cases_test.h"
#include "backend/pjrt/client/cpu_client_test.h"
#include "backend/pjrt/facts/device_facts.h"
#include "backend/pjrt/module_backend_test.h"
#include "backend/test_backends_test.h"

namespace deepinfer::pjrt {
namespace {

using deepinfer::test::BuiltCase;
using deepinfer::test::OpCase;

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
      {.name = "random_rows", .rows = deepinfer::test::random_rows()},
      by_neurons_facts(),
  };
}

class PjrtOps : public testing::TestWithParam<std::tuple<OpCase, Way>> {};

TEST_P(PjrtOps, KeepTheRulesOfTheDevice) {
  const auto& [op_case, way] = GetParam();
  if (way.facts == nullptr) return;
  OpFixture fixture;
  const BuiltCase built = op_case.build(fixture, way.rows);
  const Graph graph = deepinfer::test::graph_of(fixture, built, way.rows);
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
  const auto modules = test::module_backend(client, way.types, way.offset_parameters);
  deepinfer::test::expect_like_reference(*modules, op_case, way.rows, way.mode);
}

INSTANTIATE_TEST_SUITE_P(All, PjrtOps,
                         testing::Combine(testing::ValuesIn(deepinfer::test::op_cases()),
                                          testing::ValuesIn(ways())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace deepinfer::pjrt
