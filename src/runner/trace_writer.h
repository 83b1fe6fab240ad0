#pragma once

// TraceWriter: the first steps after a capture as a trace for chrome://tracing and Perfetto
// (trace-event format, complete events, timestamps in microseconds from the first step's begin).
//
// Thread 0 is the one that runs the steps and is also member 0 of the thread team. On it lie, each
// inside the one before: the step, its metadata copy and its regions, their ops, and member 0's
// work. The work of another member of the team lies on that member's own thread. A member's work in
// an op is one event, from its first part to its last; `busy_us` is the time it really worked.
//
// The first steps rather than the last, so that a trace shows the prompt as well, memory is bounded
// by a number known beforehand, and later steps cost nothing. Memory for all events is taken by
// captured().

#include <functional>
#include <string_view>
#include <vector>

#include "runner/step_clock.h"
#include "runner/step_watcher.h"

namespace deepinfer {

class TraceWriter : public StepWatcher {
 public:
  /// REQUIRES: steps >= 1, how many are recorded.
  explicit TraceWriter(int steps) : most_steps_(static_cast<std::size_t>(steps)) {}

  /// Forgets what was recorded of an earlier capture.
  void captured(std::shared_ptr<const ObservedCapture> capture) override;
  void step_begins(int graph) override;
  void run_begins() override;
  void step_ends() override;
  void op_begins(int node) override;
  void op_ends(int node) override;
  void region_begins(int call) override;
  void region_ends(int call) override;
  void work_begins(int member) override;
  void work_ends(int member) override;

  std::size_t steps() const { return steps_.size(); }

  /// Writes the trace, a JSON object, piece by piece. Between replays only.
  using Sink = std::function<void(std::string_view piece)>;
  void write(const Sink& sink) const;

 private:
  struct Step {
    const ObservedGraph* graph = nullptr;
    std::int64_t begin = 0;
    std::int64_t run_begin = 0;
    std::int64_t end = 0;
  };
  /// A member's work in one op.
  struct Work {
    TimeSpan span;
    std::int64_t part_begin = 0;
    std::int64_t busy = 0;
    int parts = 0;
  };

  Work& work(std::size_t member, std::size_t step, std::size_t node) {
    return work_[(member * most_steps_ + step) * most_ops_ + node];
  }
  void write_metadata(const Sink& sink) const;
  void write_step(std::size_t index, const Sink& sink) const;
  void write_work(std::size_t step, std::size_t node, std::string& text) const;

  std::size_t most_steps_;
  std::size_t most_ops_ = 0;
  std::size_t most_regions_ = 0;
  std::size_t members_ = 0;
  std::shared_ptr<const ObservedCapture> capture_;
  std::vector<Step> steps_;        // complete ones
  std::vector<TimeSpan> ops_;      // by step, node
  std::vector<TimeSpan> regions_;  // by step, call
  std::vector<Work> work_;         // by member, step, node: members write far from each other
  RegionSpans region_spans_;
  Step current_;
  bool recording_ = false;
  std::size_t node_ = 0;  // the running op; members read it after the team's fork
};

}  // namespace deepinfer
