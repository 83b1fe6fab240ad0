#include "backend/cpu/moe_groups.h"

#include <gtest/gtest.h>

#include <vector>

namespace deepinfer::cpu {
namespace {

template <typename T>
TensorRef ref(std::vector<T>& values, std::int64_t columns) {
  return {.data = reinterpret_cast<std::byte*>(values.data()),
          .dtype = std::is_same_v<T, float> ? DType::f32 : DType::i32,
          .shape = {static_cast<std::int64_t>(values.size()) / columns, columns},
          .row_bytes = columns * static_cast<std::int64_t>(sizeof(T))};
}

TEST(MoeGroups, SortsRowsByExpertAndSkipsPadding) {
  std::vector<std::int32_t> chosen = {3, 0, 1, 3, 0, 2, 3, 1};
  std::vector<float> weights = {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F};
  const std::vector<std::int32_t> positions = {5, 6, -1, 0};
  std::vector<std::byte> workspace(MoeGroups::bytes(4, 2, 5));
  host::WorkspaceCarver carver(workspace.data());
  MoeGroups groups(carver, 4, 2, 5);
  groups.sort(ref(chosen, 2), ref(weights, 2), positions.data());

  struct Expected {
    std::int32_t expert;
    std::vector<std::int32_t> rows;
    std::vector<float> weights;
  };
  const std::vector<Expected> expected = {{0, {0}, {0.2F}},
                                          {1, {1, 3}, {0.3F, 0.8F}},
                                          {3, {0, 1, 3}, {0.1F, 0.4F, 0.7F}},
                                          {5, {0, 1, 3}, {1, 1, 1}}};  // the shared expert
  ASSERT_EQ(groups.groups().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const MoeGroup& group = groups.groups()[i];
    EXPECT_EQ(group.expert, expected[i].expert);
    std::vector<std::int32_t> rows;
    std::vector<float> factors;
    for (const MoeMember& member : groups.members(group)) {
      rows.push_back(member.row);
      factors.push_back(member.weight);
    }
    EXPECT_EQ(rows, expected[i].rows);
    EXPECT_EQ(factors, expected[i].weights);
  }
}

TEST(MoeGroups, PaddingAloneGivesNoGroup) {
  std::vector<std::int32_t> chosen = {0, 0};
  std::vector<float> weights = {1, 1};
  const std::vector<std::int32_t> positions = {-1, -1};
  std::vector<std::byte> workspace(MoeGroups::bytes(2, 1, 1));
  host::WorkspaceCarver carver(workspace.data());
  MoeGroups groups(carver, 2, 1, 1);
  groups.sort(ref(chosen, 1), ref(weights, 1), positions.data());
  EXPECT_TRUE(groups.groups().empty());
  EXPECT_TRUE(groups.members().empty());
}

}  // namespace
}  // namespace deepinfer::cpu
