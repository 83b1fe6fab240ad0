// What takes the reference too long for the fast tests: every prompt of the goldens with every
// listed chunking and all greedy tokens.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/golden_checks.h"

namespace deepinfer {
namespace {

using Case = std::tuple<std::string, std::string, GraphMode, Numerics>;

class AllModelGoldens : public testing::TestWithParam<Case> {};

TEST_P(AllModelGoldens, LogitsAndGreedyTokens) {
  const auto& [model, backend, mode, numerics] = GetParam();
  check_goldens({.model = model, .backend = backend, .mode = mode, .numerics = numerics});
}

INSTANTIATE_TEST_SUITE_P(
    All, AllModelGoldens,
    testing::Combine(testing::Values("t41", "t41-odd", "t41-saturated", "t41-draft"),
                     testing::Values("reference", "cpu"),
                     testing::Values(GraphMode::eager, GraphMode::whole, GraphMode::regions),
                     testing::Values(Numerics::fp32, Numerics::official)),
    [](const auto& info) {
      return golden_run_name(std::get<0>(info.param), std::get<1>(info.param),
                             std::get<2>(info.param), std::get<3>(info.param));
    });

}  // namespace
}  // namespace deepinfer
