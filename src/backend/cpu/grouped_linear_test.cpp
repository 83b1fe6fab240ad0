#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

RowCase grouped_case(WeightFormat format, int groups, std::int64_t width, std::int64_t ranks,
                     int rows, Rounding rounding) {
  RowCase test(GroupedLinear{.groups = groups, .rounding = rounding}, rows);
  test.random("x", {groups * width}).shared([=](OpFixture& f) {
    return f.weight("w", format, {groups * ranks, width});
  });
  return test;
}

TEST(CpuGroupedLinear, EveryGroupReadsItsOwnChannels) {
  for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4, WeightFormat::plain})
    for (const int groups : {1, 2, 5})
      for (const std::int64_t ranks : {1, 7, 33})
        grouped_case(format, groups, 64, ranks, 3, Rounding::none).check(1e-5);
}

TEST(CpuGroupedLinear, GroupsNeedNotBeWholeBlocks) {
  grouped_case(WeightFormat::fp8, 3, 40, 19, 3, Rounding::none).check(1e-5);
  grouped_case(WeightFormat::plain, 3, 13, 19, 3, Rounding::none).check(1e-5);
}

TEST(CpuGroupedLinear, ThreadsShareOutputsAcrossGroups) {
  grouped_case(WeightFormat::fp8, 4, 512, 40, 5, Rounding::bf16).check(1.0 / 128);
}

}  // namespace
}  // namespace deepinfer::cpu
