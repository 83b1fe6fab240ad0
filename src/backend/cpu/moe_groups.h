#pragma once

// The rows of a step grouped by the expert they chose: every chosen expert's weights are then read
// once a step, whatever the number of rows. The shared expert is the last group and holds all rows.
//
// Non-owning: lives in the op's workspace for one run of the op.

#include <cstdint>
#include <span>

#include "backend/host/kernel.h"

namespace deepinfer::cpu {

/// One row at one expert.
struct MoeMember {
  std::int32_t row;
  float weight;  ///< routing weight; 1 at the shared expert
};

/// An expert that some row chose.
struct MoeGroup {
  std::int32_t expert;  ///< the number of routed experts stands for the shared one
  std::int32_t first;   ///< member
  std::int32_t count;
};

class MoeGroups {
 public:
  static std::size_t bytes(std::int64_t rows, std::int64_t choices, std::int64_t experts);
  MoeGroups(host::WorkspaceCarver& carver, std::int64_t rows, std::int64_t choices,
            std::int64_t experts);

  /// Sorts the rows whose position is not negative. `chosen` and `weights` are [rows, choices].
  void sort(const TensorRef& chosen, const TensorRef& weights, const std::int32_t* positions);

  /// In ascending expert index.
  std::span<const MoeGroup> groups() const { return {groups_, group_count_}; }
  /// Group by group; inside a group by ascending row.
  std::span<const MoeMember> members() const { return {members_, member_count_}; }
  std::span<const MoeMember> members(const MoeGroup& group) const {
    return members().subspan(static_cast<std::size_t>(group.first),
                             static_cast<std::size_t>(group.count));
  }

 private:
  std::int64_t rows_;
  std::int64_t choices_;
  std::int64_t experts_;
  std::int32_t* counts_;  ///< [experts + 1], then the place of the next member
  MoeGroup* groups_;
  MoeMember* members_;
  std::size_t group_count_ = 0;
  std::size_t member_count_ = 0;
};

}  // namespace deepinfer::cpu
