// Same bits, the whole extent: every golden checkpoint and the bundled model on every backend, in
// both numerics. See equality.h.

#include <gtest/gtest.h>

#include "src/backend/test_backends_test.h"
#include "tests/equality/equality.h"

namespace deepinfer::equality {
namespace {

constexpr std::uint64_t kSchedules = 10;

std::vector<Subject> subjects() {
  std::vector<Subject> list;
  for (const char* model : {"t41", "t41-odd", "t41-saturated", "t41-draft", kBundledModel})
    for (const std::string& backend : backend_names())
      for (const Numerics numerics : {Numerics::official, Numerics::fp32})
        list.push_back(
            {.model = model, .backend = backend, .numerics = numerics, .extent = Extent::whole});
  return list;
}

class WholeEquality : public testing::TestWithParam<Subject> {};

TEST_P(WholeEquality, ModesThreadsAndChunkings) { check_modes_and_chunkings(GetParam()); }
TEST_P(WholeEquality, E11_sizes_live_counts_and_positions) {
  check_sizes_and_positions(GetParam());
}
TEST_P(WholeEquality, ContextBuckets) { check_context_buckets(GetParam()); }
TEST_P(WholeEquality, RandomSchedules) {
  for (std::uint64_t i = 0; i < kSchedules; ++i) {
    check_random_schedule(GetParam(), test_seed() + i);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Whole, WholeEquality, testing::ValuesIn(subjects()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace deepinfer::equality
