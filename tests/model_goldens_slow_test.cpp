// What takes the reference too long for the fast tests: every prompt of the goldens with every
// listed chunking and all greedy tokens.

#include <gtest/gtest.h>

#include "tests/support/golden_cases.h"

namespace deepinfer {
namespace {

class AllModelGoldens : public testing::TestWithParam<GoldenCase> {};

TEST_P(AllModelGoldens, LogitsAndGreedyTokens) { check_goldens(golden_run(GetParam())); }

INSTANTIATE_TEST_SUITE_P(All, AllModelGoldens, golden_cases(), golden_case_name);

}  // namespace
}  // namespace deepinfer
