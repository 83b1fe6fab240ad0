#pragma once

// StepProfiler: the most expensive ops of one step, early in the run but after its first oddities.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runner/step_clock.h"
#include "runner/step_watcher.h"

namespace deepinfer {

/// The eighth replay after a capture, and 40 lines: the seed document's profile.
inline constexpr std::uint64_t kProfiledStep = 8;
inline constexpr std::size_t kProfiledOps = 40;

struct ProfiledOp {
  const ObservedOp* op = nullptr;
  int node = 0;
  double ms = 0;
  double share = 0;  ///< of the step's graph run, 0 to 1

  double gb_per_s() const;
  double gflop_per_s() const;
};

/// Views are valid during the callback only.
struct StepProfile {
  std::uint64_t step = 0;
  int rows = 0;
  double total_ms = 0;              ///< the graph's run
  double ops_ms = 0;                ///< of it, inside ops, all of them
  std::size_t op_count = 0;         ///< that ran
  std::span<const ProfiledOp> ops;  ///< at most kProfiledOps, the most expensive first
};

/// A table, its last line without a line break. Bytes and flops are those of graph/op_cost.h.
std::string to_text(const StepProfile& profile);

/// The seed profiles on rank 0 only; a process here is one rank, so every process is rank 0.
class StepProfiler : public StepWatcher {
 public:
  using Callback = std::function<void(const StepProfile&)>;
  /// `on_profile` is called once per capture, after the profiled step.
  explicit StepProfiler(Callback on_profile) : on_profile_(std::move(on_profile)) {}

  void captured(std::shared_ptr<const ObservedCapture> capture) override;
  void step_begins(int graph) override;
  void run_begins() override {
    if (profiling()) run_begin_ = step_clock_ns();
  }
  void step_ends() override;
  void op_begins(int node) override {
    if (profiling()) spans_[static_cast<std::size_t>(node)].begin = step_clock_ns();
  }
  void op_ends(int node) override {
    if (profiling()) spans_[static_cast<std::size_t>(node)].end = step_clock_ns();
  }

 private:
  bool profiling() const { return step_ == kProfiledStep; }

  Callback on_profile_;
  std::shared_ptr<const ObservedCapture> capture_;
  std::vector<TimeSpan> spans_;  // by node
  std::vector<ProfiledOp> ops_;  // room for all
  const ObservedGraph* graph_ = nullptr;
  std::uint64_t step_ = 0;
  std::int64_t run_begin_ = 0;
};

}  // namespace deepinfer
