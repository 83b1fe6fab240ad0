#include "graph/graph_json.h"

#include <gtest/gtest.h>

#include <bit>

#include "deepinfer/error.h"
#include "graph/graph_builder.h"
#include "graph/printer.h"

namespace deepinfer {
namespace {

/// Every kind of value and attribute.
Graph sample() {
  GraphBuilder graph(2);
  const ValueId x = graph.metadata("x", DType::f32, {2, 64});
  const ValueId positions = graph.metadata("positions", DType::i32, {2});
  const ValueId root = graph.root("state_buffer", 3 * 528);
  const auto shared = std::make_shared<const std::vector<float>>(std::vector<float>{0.1F, 1e-30F});
  const auto rope = [&](ValueId value, int step) {
    return graph.add(Rope{.head_dim = 32, .frequencies = shared, .position_step = step},
                     {value, positions}, "turned");
  };
  ValueId y = -1;
  {
    const GraphBuilder::Scope scope(graph, "layers.0.attn");
    y = graph.add(RmsNorm{.eps = 1e-20F, .rounding = Rounding::bf16},
                  {x, graph.weight("norm.weight", WeightFormat::plain, {64})}, "norm");
    y = graph.add(Linear{.quantise_input = true},
                  {y, graph.weight("wq", WeightFormat::fp8, {64, 64})}, "q");
    const ValueId view = graph.add(CacheView{.recipe = {.root = CacheRoot::state,
                                                        .offset = 0,
                                                        .row_bytes = 528,
                                                        .shape = {3, 8, 66},
                                                        .dtype = DType::u8}},
                                   {root}, "swa_cache");
    graph.add(WindowWrite{}, {rope(y, 1), view, positions, positions}, "");
  }
  graph.add(VisibleEntries{.ratio = 2}, {positions, graph.derived("seen", DType::i32, {2})}, "");
  const auto routed = graph.add_all(
      Router{.experts_per_token = 2, .scoring = ScoringFunc::sigmoid, .temperature = 0.3F},
      {y, graph.weight("bias", WeightFormat::plain, {64})}, {"experts", "weights"});
  const auto bank = [&](const char* name, const Shape& shape) {
    return graph.weight_bank("experts.", name, WeightFormat::fp4, shape);
  };
  const auto weight = [&](const char* name, const Shape& shape) {
    return graph.weight(name, WeightFormat::fp8, shape);
  };
  graph.output(
      "moe", graph.add(Moe{.swiglu_limit = 7.1F},
                       {x, routed[0], routed[1], positions, bank(".w1", {3, 32, 64}),
                        bank(".w3", {3, 32, 64}), bank(".w2", {3, 64, 32}), weight("s1", {32, 64}),
                        weight("s3", {32, 64}), weight("s2", {64, 32})},
                       "moe"));
  graph.output("fake", graph.add(FakeQuantise{.quantiser = Quantiser::q4e}, {rope(x, 2)}, "fake"));
  return graph.finish();
}

void expect_equal(const Graph& a, const Graph& b) {
  EXPECT_EQ(to_text(a), to_text(b));
  EXPECT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_EQ(a.values[i].name, b.values[i].name);
    EXPECT_EQ(a.values[i].kind, b.values[i].kind);
    EXPECT_EQ(a.values[i].dtype, b.values[i].dtype);
    EXPECT_EQ(a.values[i].shape, b.values[i].shape);
    EXPECT_EQ(a.values[i].format, b.values[i].format);
    EXPECT_EQ(a.values[i].tensor_names, b.values[i].tensor_names);
    EXPECT_EQ(a.values[i].derived, b.values[i].derived);
  }
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].place, b.nodes[i].place);
    EXPECT_EQ(a.nodes[i].operands, b.nodes[i].operands);
    EXPECT_EQ(a.nodes[i].results, b.nodes[i].results);
    if (!std::holds_alternative<Rope>(a.nodes[i].op)) {  // holds a pointer
      EXPECT_TRUE(a.nodes[i].op == b.nodes[i].op) << name_of(a.nodes[i].op);
    }
  }
}

TEST(GraphJson, ReadsBackWhatItWrites) {
  const Graph graph = sample();
  const std::string text = to_json(graph);
  const Graph read = graph_from_json(text, "test");
  expect_equal(graph, read);
  EXPECT_EQ(to_json(read), text);
}

TEST(GraphJson, FloatsKeepTheirBits) {
  for (const float value : {0.1F, 1.0F / 3, -0.0F, 1e-45F, 3.4028235e38F, 1.17549435e-38F}) {
    GraphBuilder builder(1);
    const ValueId x = builder.metadata("x", DType::f32, {1, 1});
    builder.output("y", builder.add(Scale{.factor = value}, {x}, "y"));
    const Graph read = graph_from_json(to_json(builder.finish()), "test");
    const float back = std::get<Scale>(read.nodes[0].op).factor;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(back), std::bit_cast<std::uint32_t>(value))
        << value << " became " << back;
  }
}

TEST(GraphJson, FrequenciesAreSharedAgainToTheBit) {
  const Graph graph = sample();
  const Graph read = graph_from_json(to_json(graph), "test");
  std::vector<Frequencies> before;
  std::vector<Frequencies> after;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (const auto* rope = std::get_if<Rope>(&graph.nodes[i].op)) {
      before.push_back(rope->frequencies);
      after.push_back(std::get<Rope>(read.nodes[i].op).frequencies);
    }
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0], after[1]);
  EXPECT_EQ(*after[0], *before[0]);
}

TEST(GraphJson, OtherMembersAtTheTopArePassedOver) {
  std::string text = to_json(sample());
  text.insert(1, R"("after": "plan", "plan": [{"value": "x"}], )");
  expect_equal(graph_from_json(text, "test"), sample());
}

TEST(GraphJson, AnAttributeThatIsNoNumberIsRefused) {
  Graph graph = sample();
  std::get<RmsNorm>(graph.nodes[0].op).eps = std::numeric_limits<float>::infinity();
  EXPECT_THROW(to_json(graph), Error);
}

/// A small graph's text with `from` replaced by `to`, and the message that must come.
struct Fault {
  const char* name;
  std::string from;
  std::string to;
  std::string error;
};

std::string small_text() {
  GraphBuilder builder(2);
  const ValueId x = builder.metadata("x", DType::f32, {2, 64});
  const ValueId root = builder.root("state_buffer", 528);
  builder.add(CacheView{.recipe = {.root = CacheRoot::state,
                                   .offset = 0,
                                   .row_bytes = 528,
                                   .shape = {1, 8, 66},
                                   .dtype = DType::u8}},
              {root}, "view");
  const ValueId y =
      builder.add(RmsNorm{.eps = 0.5F}, {x, builder.weight("w", WeightFormat::plain, {64})}, "y");
  builder.output("z", builder.add(Scale{.factor = 2}, {y}, "z"));
  return to_json(builder.finish());
}

class GraphJsonFaults : public testing::TestWithParam<Fault> {};

TEST_P(GraphJsonFaults, AreNamed) {
  const Fault& fault = GetParam();
  std::string text = small_text();
  const std::size_t at = text.find(fault.from);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, fault.from.size(), fault.to);
  try {
    graph_from_json(text, "g.json");
    ADD_FAILURE() << "was read: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, fault.error.size()), fault.error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphJsonFaults,
    testing::Values(
        Fault{"no_json", "{\"rows\"", "{rows", "[g.json] is not JSON: parse error at line 1"},
        Fault{"no_object", small_text(), "[1]",
              "[g.json] is no object, expected object, got an array"},
        Fault{"deep", "\"rows\":2", "\"rows\":" + std::string(100, '['),
              "[g.json] is nested too deeply, expected at most 8 levels, got more"},
        Fault{"member_twice", "\"rows\":2", "\"rows\":2,\"rows\":3",
              "[g.json] has a member twice, got rows"},
        Fault{"member_missing", "\"rows\":2,", "", "[g.json] lacks a member, expected rows"},
        Fault{"no_rows", "\"rows\":2", "\"rows\":0",
              "[g.json] rows is out of range, expected integer 1..2147483647, got 0"},
        Fault{"huge_rows", "\"rows\":2", "\"rows\":18446744073709551615",
              "[g.json] rows is out of range"},
        Fault{"unknown_op", "\"op\":\"scale\"", "\"op\":\"lunch\"",
              "[g.json] ops[2].op is no op, expected an op of graph/ops, got lunch"},
        Fault{"attribute_missing", "\"eps\":0.5,", "",
              "[g.json] ops[1].attributes lacks a member, expected eps"},
        Fault{"attribute_unknown", "\"eps\":0.5", "\"eps\":0.5,\"salt\":1",
              "[g.json] ops[1].attributes has an unknown member, expected eps, round, got salt"},
        Fault{"attribute_of_another_type", "\"eps\":0.5", "\"eps\":\"much\"",
              "[g.json] ops[1].attributes.eps is no number, expected a finite fp32 number, got "
              "\"much\""},
        Fault{"attribute_too_large", "\"factor\":2.0", "\"factor\":1e39",
              "[g.json] ops[2].attributes.factor is no number"},
        Fault{"unknown_rounding", "\"round\":\"none\"", "\"round\":\"up\"",
              "[g.json] ops[1].attributes.round is unknown, expected none, bf16, got up"},
        Fault{"operand_out_of_range", "\"operands\":[4]", "\"operands\":[6]",
              "[g.json] ops[2].operands[0] is out of range, expected integer 0..5, got 6"},
        Fault{"operand_negative", "\"operands\":[4]", "\"operands\":[-1]",
              "[g.json] ops[2].operands[0] is out of range"},
        Fault{"operand_no_integer", "\"operands\":[4]", "\"operands\":[0.5]",
              "[g.json] ops[2].operands[0] is out of range"},
        Fault{"operands_no_list", "\"operands\":[4]", "\"operands\":4",
              "[g.json] ops[2].operands is no list, expected list, got 4"},
        Fault{"operand_missing", "\"operands\":[4]", "\"operands\":[]",
              "[graph op scale at ] has the wrong number of operands, expected 1, got 0"},
        Fault{"value_name_twice", "\"name\":\"state_buffer\"", "\"name\":\"x\"",
              "[g.json] values[1] is there twice, expected a name of its own, got x"},
        Fault{"output_out_of_range", "\"value\":5", "\"value\":7",
              "[g.json] outputs[0].value is out of range, expected integer 0..5, got 7"},
        Fault{"output_twice", "{\"name\":\"z\",\"value\":5}",
              "{\"name\":\"z\",\"value\":5},{\"name\":\"z\",\"value\":4}",
              "[g.json] outputs[1] is there twice, expected a name of its own, got z"},
        Fault{"unknown_kind", "\"kind\":\"metadata\"", "\"kind\":\"thing\"",
              "[g.json] values[0].kind is unknown, expected metadata, weight, root, view, "
              "intermediate, got thing"},
        Fault{"no_extents", "\"shape\":[2,64]", "\"shape\":[]",
              "[g.json] values[0].shape is no shape, expected 1 to 4 extents, got 0"},
        Fault{"extent_of_nothing", "\"shape\":[2,64]", "\"shape\":[2,0]",
              "[g.json] values[0].shape[1] is out of range"},
        Fault{"too_many_bytes", "\"shape\":[2,64]", "\"shape\":[2147483647,2147483647]",
              "[g.json] values[0].shape is too large, expected at most 281474976710656 bytes"},
        Fault{"another_shape", "\"shape\":[2,64]", "\"shape\":[2,32]",
              "[graph op rms_norm at ] operand 'weight' (w) has the wrong shape"},
        Fault{"root_of_floats", "\"dtype\":\"u8\",\"shape\":[528]",
              "\"dtype\":\"f32\",\"shape\":[528]",
              "[g.json] values[1] is no root, expected u8 [bytes], got an array"},
        Fault{"weight_without_format", "\"format\":\"plain\",", "",
              "[g.json] values[3] lacks a member, expected format"},
        Fault{"too_many_tensors", "\"tensor_names\":[\"w\"]", "\"tensor_names\":[\"w\",\"v\"]",
              "[g.json] values[3].tensor_names names another number of tensors than the weight "
              "has, expected 1, got 2"},
        Fault{"metadata_with_format", "\"shape\":[2,64]", "\"shape\":[2,64],\"format\":\"fp8\"",
              "[g.json] values[0] has an unknown member, expected name, kind, dtype, shape, "
              "derived, got format"},
        Fault{"view_that_is_none", "\"name\":\"z\",\"kind\":\"intermediate\"",
              "\"name\":\"z\",\"kind\":\"view\"", "[graph] output 'z' is not the result of an op"},
        Fault{"view_past_its_root", "\"row_bytes\":528,\"shape\":[1,8,66]",
              "\"row_bytes\":528,\"shape\":[2,8,66]",
              "[graph op cache_view at ] is not a column slice of its root, expected an end within "
              "the root's 528 bytes, got shape [2, 8, 66] at offset 0, row stride 528 bytes"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(GraphJsonFaults, AViewMadeByAnotherOpAndAValueMadeByNone) {
  const auto message = [](const Graph& graph) {
    try {
      graph_from_json(to_json(graph), "g.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  Graph graph = graph_from_json(small_text(), "g.json");
  Graph unmade = graph;
  unmade.values.push_back({.name = "lost",
                           .kind = ValueKind::intermediate,
                           .dtype = DType::f32,
                           .shape = {1},
                           .format = {},
                           .tensor_names = {}});
  EXPECT_EQ(message(unmade), "[g.json] values[6] is made by no op, expected an op, got none");
  graph.values[2].kind = ValueKind::intermediate;
  EXPECT_EQ(message(graph),
            "[g.json] ops[0] makes a value of another kind, expected view, got intermediate");
}

}  // namespace
}  // namespace deepinfer
