// Every op on every backend of this machine against the reference, over the one table of cases; the
// pjrt backend runs the same table in pjrt/pjrt_ops_test.cpp.

#include <gtest/gtest.h>

#include <set>

#include "backend/op_cases_test.h"
#include "backend/test_backends_test.h"

namespace deepinfer {
namespace {

using test::OpCase;

class OpByOp : public testing::TestWithParam<std::tuple<OpCase, std::string>> {};

TEST_P(OpByOp, AgreesWithTheReference) {
  const auto& [op_case, name] = GetParam();
  const auto backend = backend_named(name, 2);
  for (const std::int64_t rows :
       {std::int64_t{1}, std::int64_t{6}, test::random_rows(), test::random_rows()})
    for (const GraphMode mode : {GraphMode::eager, GraphMode::whole})
      test::expect_like_reference(*backend, op_case, rows, mode);
}

INSTANTIATE_TEST_SUITE_P(All, OpByOp,
                         testing::Combine(testing::ValuesIn(test::op_cases()),
                                          testing::ValuesIn(backend_names())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
                         });

/// A new op needs a case here before it can run anywhere.
TEST(OpCases, CoverEveryOp) {
  std::set<std::size_t> covered = {Op(CacheView{}).index()};
  for (const OpCase& op_case : test::op_cases()) {
    OpFixture fixture;
    covered.insert(op_case.build(fixture, 2).op.index());
  }
  EXPECT_EQ(covered.size(), std::variant_size_v<Op>);
}

}  // namespace
}  // namespace deepinfer
