// Same bits, the reduced extent: see equality.h. The whole one is equality_slow_test.cpp.

#include "tests/equality/equality.h"

#include <gtest/gtest.h>

#include "src/backend/test_backends_test.h"

namespace deepinfer::equality {
namespace {

std::vector<Subject> subjects() {
  std::vector<Subject> list;
  // The best instruction set of this machine; the others are held to same bits in
  // same_bits_test.cpp and in the whole extent.
  for (const std::string& backend : {std::string("reference"), backend_names().back()})
    list.push_back({.model = "t41", .backend = backend});
  for (const char* model : {"t41-odd", "t41-saturated", kBundledModel})
    list.push_back({.model = model, .backend = backend_names().back(), .numerics = Numerics::fp32});
  return list;
}

class Equality : public testing::TestWithParam<Subject> {};

TEST_P(Equality, ModesThreadsAndChunkings) { check_modes_and_chunkings(GetParam()); }
TEST_P(Equality, E11_sizes_live_counts_and_positions) { check_sizes_and_positions(GetParam()); }
TEST_P(Equality, ContextBuckets) { check_context_buckets(GetParam()); }
TEST_P(Equality, RandomSchedule) { check_random_schedule(GetParam(), test_seed()); }

INSTANTIATE_TEST_SUITE_P(Reduced, Equality, testing::ValuesIn(subjects()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace deepinfer::equality
