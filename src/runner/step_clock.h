#pragma once

// Time of observed steps, and of the regions inside one.

#include <chrono>
#include <cstdint>
#include <span>

#include "runner/observed_graph.h"

namespace deepinfer {

/// Nanoseconds of the steady clock.
inline std::int64_t step_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline constexpr double kNanosecondsPerMillisecond = 1e6;

inline double milliseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / kNanosecondsPerMillisecond;
}

/// begin == 0: did not run.
struct TimeSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
};

/// Spans of a step's regions. In mode `regions` the executable announces them; in the other modes a
/// region lasts from its first op to its last.
class RegionSpans {
 public:
  /// `spans`: one per region of `graph`; cleared.
  void start(const ObservedGraph& graph, std::span<TimeSpan> spans) {
    graph_ = &graph;
    spans_ = spans;
    open_ = -1;
    for (TimeSpan& span : spans_) span = {};
  }
  void op_begins(int node, std::int64_t now) { region_begins(region_of(node), now); }
  void op_ends(int node, std::int64_t now) { region_ends(region_of(node), now); }
  void region_begins(int call, std::int64_t now) {
    if (call < 0 || call == open_) return;
    open_ = call;
    spans_[static_cast<std::size_t>(call)].begin = now;
  }
  void region_ends(int call, std::int64_t now) {
    if (call >= 0) spans_[static_cast<std::size_t>(call)].end = now;
  }
  std::span<const TimeSpan> spans() const { return spans_; }

 private:
  int region_of(int node) const { return graph_->ops[static_cast<std::size_t>(node)].region; }

  const ObservedGraph* graph_ = nullptr;
  std::span<TimeSpan> spans_;
  int open_ = -1;
};

}  // namespace deepinfer
