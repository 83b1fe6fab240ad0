#include "backend/pjrt/stablehlo/module_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "backend/pjrt/stablehlo/module_text_test.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

std::string finish(ModuleWriter& w, const std::vector<Val>& results) {
  std::string text = w.finish(results);
  EXPECT_TRUE(test::is_well_formed(text)) << text;
  return text;
}

TEST(ModuleWriter, WritesAModuleLikeThis) {
  ModuleWriter w("small");
  const Val x = w.param("x", Element::f32, {2, 3});
  w.comment("y = x + 0.5");
  const Val y = w.add(x, 0.5);
  w.rename(y, "y");
  EXPECT_EQ(finish(w, {y}), R"(module @small {
  func.func public @main(
      %x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %t1 = stablehlo.constant dense<0.5> : tensor<f32>
    // y = x + 0.5
    %t2 = stablehlo.broadcast_in_dim %t1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %y = stablehlo.add %x, %t2 : tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
)");
}

TEST(ModuleWriter, MakesNamesLegalAndUnique) {
  ModuleWriter w("7 days");
  const Val a = w.param("layers.0.w*", Element::f32, {1});
  const Val b = w.param("layers.0.w+", Element::f32, {1});
  const Val c = w.param("0", Element::f32, {1});
  const Val sum = w.add(a, w.add(b, c));
  w.rename(sum, "layers.0.w_");
  const std::string text = finish(w, {sum});
  EXPECT_NE(text.find("module @_7_days {"), std::string::npos);
  EXPECT_NE(text.find("%layers.0.w_: tensor<1xf32>"), std::string::npos);
  EXPECT_NE(text.find("%layers.0.w__1: tensor<1xf32>"), std::string::npos);
  EXPECT_NE(text.find("%_0: tensor<1xf32>"), std::string::npos);
  EXPECT_NE(text.find("return %layers.0.w__2 :"), std::string::npos);
}

TEST(ModuleWriter, WritesConstantsOnceAndExactly) {
  ModuleWriter w("constants");
  const std::vector<Val> values = {w.f32(1.0 / 3),
                                   w.f32(1e-20),
                                   w.f32(2),
                                   w.f32(-INFINITY),
                                   w.f32_bits(0x7fc00000),
                                   w.i32(-7),
                                   w.constant(Element::i1, 1)};
  EXPECT_EQ(w.f32(2).id, values[2].id);
  EXPECT_NE(w.f32(2, {3}).id, values[2].id);
  const std::string text = finish(w, values);
  for (const char* literal : {"dense<0.33333334> : tensor<f32>", "dense<1.0e-20> : tensor<f32>",
                              "dense<2.0> : tensor<f32>", "dense<0xFF800000> : tensor<f32>",
                              "dense<0x7FC00000> : tensor<f32>", "dense<-7> : tensor<i32>",
                              "dense<true> : tensor<i1>", "dense<2.0> : tensor<3xf32>"})
    EXPECT_EQ(test::count_of(text, literal), 1) << literal << "\n" << text;
}

TEST(ModuleWriter, WritesTablesAsTheirBytes) {
  ModuleWriter w("table");
  const std::array<float, 2> values = {1, -2};
  const Val table = w.table(values);
  EXPECT_NE(finish(w, {table}).find("dense<\"0x0000803F000000C0\"> : tensor<2xf32>"),
            std::string::npos);
}

TEST(ModuleWriter, AliasesOnlyWhatFits) {
  ModuleWriter good("good");
  const Val root = good.param("root", Element::ui8, {4, 8});
  const Val x = good.param("x", Element::f32, {2});
  good.alias(root, 1);
  EXPECT_NE(finish(good, {x, root}).find("%root: tensor<4x8xui8> {tf.aliasing_output = 1 : i32}"),
            std::string::npos);

  ModuleWriter bad("bad");
  const Val other = bad.param("root", Element::ui8, {4, 8});
  bad.alias(other, 0);
  const Val y = bad.param("y", Element::f32, {2});
  EXPECT_THROW(bad.finish(std::array<Val, 1>{y}), Error);
  EXPECT_THROW(bad.alias(bad.add(y, 1.0), 0), Error);
}

TEST(ModuleWriter, LoopsAndFunctionsAreWellFormed) {
  ModuleWriter w("blocks");
  const Val x = w.param("x", Element::f32, {4, 6});
  const auto halve = [&](std::span<const Val> operands) { return w.mul(operands[0], 0.5); };
  const Val one = w.call("halve", std::array<Val, 1>{x}, halve);
  const Val two = w.call("halve", std::array<Val, 1>{one}, halve);
  const Val row = w.call("halve", std::array<Val, 1>{w.reduce("add", two, 1)}, halve);
  const std::vector<Val> sums =
      w.loop(3, std::array<Val, 2>{two, row}, [&](const Val& i, const std::vector<Val>& carried) {
        const Val part = w.reduce("maximum", w.take(carried[0], i, 1), 1);
        return std::vector<Val>{carried[0], w.add(carried[1], w.reshape(part, {}))};
      });
  const std::vector<Val> order =
      w.sort("GT", std::array<Val, 2>{two, w.iota(Element::i32, {4, 6}, 1)});
  const std::string text = finish(w, {sums[1], order[1]});
  EXPECT_EQ(test::count_of(text, "func.func private"), 2);  // two types of operand
  EXPECT_EQ(test::count_of(text, "func.call @halve("), 2);
  EXPECT_EQ(test::count_of(text, "func.call @halve_1("), 1);
}

TEST(ModuleWriter, AFunctionMayNotReadValuesOfItsCaller) {
  ModuleWriter w("capture");
  const Val x = w.param("x", Element::f32, {4});
  EXPECT_THROW(w.call("f", std::array<Val, 1>{x},
                      [&](std::span<const Val> operands) { return w.add(operands[0], x); }),
               Error);
}

TEST(ModuleWriter, RefusesWhatWouldBeIllTyped) {
  ModuleWriter w("ill");
  const Val a = w.param("a", Element::f32, {2, 3});
  const Val b = w.param("b", Element::f32, {3, 2});
  const Val i = w.param("i", Element::i32, {2, 3});
  const Val s = w.param("s", Element::i32, {});
  const Val bytes = w.param("bytes", Element::ui8, {2, 8});
  EXPECT_THROW(w.add(a, b), Error);
  EXPECT_THROW(w.add(a, i), Error);
  EXPECT_THROW(w.compare("LT", a, i), Error);
  EXPECT_THROW(w.select(a, a, a), Error);
  EXPECT_THROW(w.reshape(a, {7}), Error);
  EXPECT_THROW(w.broadcast(a, {2, 4}, {0, 1}), Error);
  EXPECT_THROW(w.broadcast(a, {2, 3}, {0}), Error);
  EXPECT_THROW(w.slice_axis(a, 1, 2, 4), Error);
  EXPECT_THROW(w.slice_axis(a, 2, 0, 1), Error);
  EXPECT_THROW(w.concatenate(std::array<Val, 2>{a, b}, 0), Error);
  EXPECT_THROW(w.concatenate({}, 0), Error);
  EXPECT_THROW(w.pad_axis(a, 0, 1, w.f32(0)), Error);
  EXPECT_THROW(w.transpose(a, {0, 0}), Error);
  EXPECT_THROW(w.bitcast(bytes, Element::f32), Error);  // 8 bytes are two
  EXPECT_THROW(w.gather_rows(a, a), Error);
  EXPECT_THROW(w.gather_windows(bytes, i, 4), Error);
  EXPECT_THROW(w.gather_windows(bytes, w.i32(0, {5, 2}), 9), Error);
  EXPECT_THROW(w.scatter_windows(bytes, w.i32(0, {5, 2}), w.constant(Element::ui8, 0, {4, 2})),
               Error);
  EXPECT_THROW(w.take(a, s, 3), Error);
  EXPECT_THROW(w.reduce("add", a, 2), Error);
  EXPECT_THROW(w.dot(a, b, {1}, {1}), Error);
  EXPECT_THROW(w.dot(a, i, {1}, {1}), Error);
  EXPECT_THROW(w.sort("GT", {}), Error);
  EXPECT_THROW(w.round_bf16(i), Error);
  EXPECT_THROW(w.iota(Element::i32, {2}, 1), Error);
  EXPECT_THROW(w.add(a, Val{}), Error);
  EXPECT_THROW(w.loop(2, std::array<Val, 1>{a},
                      [&](const Val&, const std::vector<Val>&) { return std::vector<Val>{b}; }),
               Error);
}

}  // namespace
}  // namespace deepinfer::pjrt
