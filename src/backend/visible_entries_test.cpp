// visible_entries on every backend: floor((p + 1) / r), padding 0. Model specification 2.9.7.

#include "backend/op_fixture_test.h"
#include "backend/test_backends_test.h"

namespace deepinfer {
namespace {

class VisibleEntriesOp : public testing::TestWithParam<std::string> {};

TEST_P(VisibleEntriesOp, CountsFinishedGroupsAndNothingForPadding) {
  const auto backend = backend_named(GetParam());
  const std::vector<std::int32_t> positions = {0, 1, 2, 3, 126, 127, -1, 2147483646, 2147483647};
  const auto rows = static_cast<std::int64_t>(positions.size());
  for (const GraphMode mode : {GraphMode::eager, GraphMode::whole}) {
    OpFixture f;
    const Given p = f.integers("positions", {rows}, positions);
    const auto seen_at = [&](int ratio) {
      const Given seen = f.derived("seen." + std::to_string(ratio), {rows});
      return f.run(*backend, VisibleEntries{.ratio = ratio}, {p, seen}, mode)
          .view<std::int32_t>(seen);
    };
    EXPECT_EQ(seen_at(2),
              (std::vector<std::int32_t>{0, 1, 1, 2, 63, 64, 0, 1073741823, 1073741824}));
    EXPECT_EQ(seen_at(3), (std::vector<std::int32_t>{0, 0, 1, 1, 42, 42, 0, 715827882, 715827882}));
  }
}

TEST_P(VisibleEntriesOp, RatioOneSeesEveryPositionSoFar) {
  const auto backend = backend_named(GetParam());
  OpFixture f;
  const Given p = f.integers("positions", {4}, {0, 7, -1, 100});
  const Given seen = f.derived("seen", {4});
  EXPECT_EQ(f.run(*backend, VisibleEntries{.ratio = 1}, {p, seen}).view<std::int32_t>(seen),
            (std::vector<std::int32_t>{1, 8, 0, 101}));
}

INSTANTIATE_TEST_SUITE_P(Backends, VisibleEntriesOp, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
