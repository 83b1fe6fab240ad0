#include "backend/cpu/moe_groups.h"

#include <algorithm>

namespace deepinfer::cpu {
namespace {

std::size_t group_limit(std::int64_t experts) { return static_cast<std::size_t>(experts + 1); }

std::size_t member_limit(std::int64_t rows, std::int64_t choices) {
  return static_cast<std::size_t>(rows * (choices + 1));
}

}  // namespace

std::size_t MoeGroups::bytes(std::int64_t rows, std::int64_t choices, std::int64_t experts) {
  using Carver = host::WorkspaceCarver;
  return Carver::bytes_for<std::int32_t>(group_limit(experts)) +
         Carver::bytes_for<MoeGroup>(group_limit(experts)) +
         Carver::bytes_for<MoeMember>(member_limit(rows, choices));
}

MoeGroups::MoeGroups(host::WorkspaceCarver& carver, std::int64_t rows, std::int64_t choices,
                     std::int64_t experts)
    : rows_(rows),
      choices_(choices),
      experts_(experts),
      counts_(carver.take<std::int32_t>(group_limit(experts))),
      groups_(carver.take<MoeGroup>(group_limit(experts))),
      members_(carver.take<MoeMember>(member_limit(rows, choices))) {}

void MoeGroups::sort(const TensorRef& chosen, const TensorRef& weights,
                     const std::int32_t* positions) {
  // Calls take(expert, member) for every row at every expert of its own.
  const auto for_each_choice = [&](auto&& take) {
    for (std::int64_t row = 0; row < rows_; ++row) {
      if (positions[row] < 0) continue;
      const auto* experts = chosen.row<std::int32_t>(row);
      const auto* factors = weights.row<float>(row);
      for (std::int64_t i = 0; i < choices_; ++i)
        if (experts[i] >= 0 && experts[i] < experts_)
          take(experts[i], MoeMember{static_cast<std::int32_t>(row), factors[i]});
      take(static_cast<std::int32_t>(experts_), MoeMember{static_cast<std::int32_t>(row), 1.0F});
    }
  };

  std::fill_n(counts_, experts_ + 1, 0);
  for_each_choice([&](std::int32_t expert, const MoeMember&) { ++counts_[expert]; });
  group_count_ = 0;
  std::int32_t next = 0;
  for (std::int32_t expert = 0; expert <= experts_; ++expert) {
    const std::int32_t count = counts_[expert];
    counts_[expert] = next;
    if (count > 0) groups_[group_count_++] = {.expert = expert, .first = next, .count = count};
    next += count;
  }
  member_count_ = static_cast<std::size_t>(next);
  for_each_choice(
      [&](std::int32_t expert, const MoeMember& member) { members_[counts_[expert]++] = member; });
}

}  // namespace deepinfer::cpu
