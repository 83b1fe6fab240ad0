#include "backend/pjrt/facts/module_rules.h"

#include <gtest/gtest.h>

#include "backend/pjrt/facts/device_facts.h"
#include "backend/pjrt/stablehlo/module_writer.h"

namespace deepinfer::pjrt {
namespace {

/// "3: refused op stablehlo.case" per violation of Neuron's rules.
std::string faults_of(const std::string& text) {
  std::string faults;
  for (const Violation& fault : check_module(text, neuron_facts().rules))
    faults += (faults.empty() ? "" : "\n") + std::to_string(fault.line) + ": " + fault.what;
  return faults;
}

/// A function of %a f32[4] and %b i32[4] with these lines, the first of which is line 4.
std::string module_of(const std::string& lines) {
  return "module @m {\n"
         "  func.func public @main(\n"
         "      %a: tensor<4xf32>, %b: tensor<4xi32>) -> (tensor<4xf32>) {\n" +
         lines + "    return %a : tensor<4xf32>\n  }\n}\n";
}

TEST(ModuleRules, NothingIsWrongWithAPlainModule) {
  EXPECT_EQ(faults_of(module_of("    // a comment with stablehlo.case in it\n"
                                "    %c = stablehlo.add %a, %a : tensor<4xf32>\n")),
            "");
}

TEST(ModuleRules, OpsAndTypesAreRefusedByLine) {
  EXPECT_EQ(faults_of(module_of(
                "    %c = stablehlo.add %a, %a : tensor<4xf32>\n"
                "    %d = stablehlo.reduce_precision %c, format = e8m7 : tensor<4xf32>\n"
                "    %e = stablehlo.convert %d : (tensor<4xf32>) -> tensor<4xf8E4M3FN>\n"
                "    %f = stablehlo.convert %b : (tensor<4xi32>) -> tensor<4xi64>\n"
                "    %g = stablehlo.custom_call @Mine(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
                "    %h = \"stablehlo.case\"(%b) ({\n")),
            "5: refused op stablehlo.reduce_precision\n"
            "6: refused type f8E4M3FN\n"
            "7: refused type i64\n"
            "8: a custom call\n"
            "9: refused op stablehlo.case");
}

TEST(ModuleRules, ShapesAreNumbers) {
  EXPECT_EQ(faults_of(module_of(
                "    %c = stablehlo.convert %a : (tensor<4xf32>) -> tensor<?xf32>\n"
                "    %d = stablehlo.add %a, %a : tensor<4xf32, #stablehlo.bounds<4>>\n"
                "    %e = stablehlo.dynamic_reshape %a, %b : (tensor<4xf32>, tensor<4xi32>) -> "
                "tensor<4xf32>\n")),
            "4: a dynamic shape\n5: a dynamic shape\n"
            "6: a dynamic shape, by stablehlo.dynamic_reshape");
}

TEST(ModuleRules, ReductionsProductsAndShifts) {
  EXPECT_EQ(
      faults_of(module_of(
          "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
          "    %c:2 = stablehlo.reduce(%b init: %z), (%b init: %z) applies stablehlo.add across "
          "dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>\n"
          "    %d = stablehlo.dot_general %b, %b, contracting_dims = [0] x [0] : (tensor<4xi32>, "
          "tensor<4xi32>) -> tensor<i32>\n"
          "    %e = stablehlo.convert %b : (tensor<4xi32>) -> tensor<4xui8>\n"
          "    %f = stablehlo.shift_right_logical %e, %e : tensor<4xui8>\n"
          "    %g = stablehlo.compare LT, %b, %b, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> "
          "tensor<4xi1>\n"
          "    %t = stablehlo.constant dense<false> : tensor<i1>\n"
          "    %h = stablehlo.reduce(%g init: %t) applies stablehlo.or across dimensions = [0] : "
          "(tensor<4xi1>, tensor<i1>) -> tensor<i1>\n")),
      "5: a reduction of 2 operands\n6: a product of i32\n8: a shift of ui8\n11: a reduction of "
      "i1");
}

TEST(ModuleRules, SortsCompareByOneOfTheAllowedDirections) {
  ModuleRules rules;
  rules.sort_directions = {"LT", "GT"};
  const auto faults = [&](std::string_view direction) {
    ModuleWriter w("m");
    const Val a = w.param("a", Element::f32, {2, 4});
    const std::array<Val, 1> keys = {a};
    return check_module(w.finish(w.sort(direction, keys)), rules);
  };
  EXPECT_TRUE(faults("GT").empty());
  ASSERT_EQ(faults("NE").size(), 1U);
  EXPECT_EQ(faults("NE").front().what, "a sort by NE");
}

std::string loop_text(const std::string& bound, const std::string& step) {
  return module_of(
      "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "    %five = stablehlo.constant dense<5> : tensor<i32>\n"
      "    %some = stablehlo.reshape %b : (tensor<4xi32>) -> tensor<i32>\n"
      "    %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>\n"
      "    cond {\n"
      "      %more = stablehlo.compare LT, %i, %" +
      bound +
      ", SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "      stablehlo.return %more : tensor<i1>\n"
      "    } do {\n"
      "      %next = stablehlo.add %i, %" +
      step +
      " : tensor<i32>\n"
      "      stablehlo.return %next, %x : tensor<i32>, tensor<4xf32>\n"
      "    }\n");
}

TEST(ModuleRules, LoopsCountToAConstant) {
  EXPECT_EQ(faults_of(loop_text("five", "five")), "");
  const std::string fault = "7: a loop without a constant number of trips";
  EXPECT_EQ(faults_of(loop_text("some", "five")), fault);
  EXPECT_EQ(faults_of(loop_text("five", "some")), fault);
  EXPECT_EQ(faults_of(loop_text("five", "zero")), fault) << "never ends";
}

TEST(ModuleRules, TheWritersOwnLoopsDoSo) {
  ModuleWriter w("m");
  const std::array<Val, 1> sum = {w.param("a", Element::f32, {4})};
  const auto twice = [&](const Val& /*i*/, const std::vector<Val>& carried) {
    return w.loop(3, carried, [&](const Val& /*k*/, const std::vector<Val>& inner) {
      return std::vector<Val>{w.add(inner[0], inner[0])};
    });
  };
  EXPECT_EQ(faults_of(w.finish(w.loop(7, sum, twice))), "");
}

TEST(ModuleRules, WhatIsNotUnderstoodIsAFault) {
  EXPECT_EQ(faults_of(module_of("    affine.for %q in 0 to 4 {\n")),
            "4: a line that is not understood: affine.for %q in 0 to 4 {");
  EXPECT_EQ(faults_of(module_of("    %c = arith.addf %a, %a : tensor<4xf32>\n")),
            "4: a line that is not understood: %c = arith.addf %a, %a : tensor<4xf32>");
  EXPECT_EQ(faults_of(module_of("    %c = stablehlo.add %a, %nobody : tensor<4xf32>\n"
                                "    %a = stablehlo.add %a, %c : tensor<4xf32>\n")),
            "4: %nobody is not made yet\n5: %a is made twice");
}

TEST(ModuleRules, TheCpuPluginsFactsRefuseNothing) {
  EXPECT_TRUE(
      check_module(module_of("    %h = \"stablehlo.case\"(%b) ({\n"), cpu_facts().rules).empty());
}

}  // namespace
}  // namespace deepinfer::pjrt
