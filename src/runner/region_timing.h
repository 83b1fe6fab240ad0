#pragma once

// RegionTiming: where each step's time goes, by kind of region. The line it makes is the seed
// document's.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/step_clock.h"
#include "runner/step_watcher.h"

namespace deepinfer {

struct RegionTime {
  std::string_view kind;
  int count = 0;
  double total_ms = 0;

  double mean_ms() const { return count == 0 ? 0 : total_ms / count; }
};

/// Times of one step; views are valid during the callback only.
struct StepTiming {
  std::uint64_t step = 0;  ///< replays since the capture, this one included
  int rows = 0;            ///< of the graph
  double copy_ms = 0;      ///< host metadata to device metadata, before the graph: not in total_ms
  double total_ms = 0;     ///< the graph's run
  double regions_ms = 0;   ///< of it, inside regions
  std::span<const RegionTime> regions;  ///< by kind, sorted by name

  double outside_ms() const { return total_ms - regions_ms; }
};

/// "step rows=4: 12.3 ms, regions 11.9 ms (attn.1 6x 0.52 ms, …), outside regions 0.4 ms, copy …"
std::string to_text(const StepTiming& timing);

class RegionTiming : public StepWatcher {
 public:
  using Callback = std::function<void(const StepTiming&)>;
  /// `on_step` is called after each step, when the replay's own work is over.
  explicit RegionTiming(Callback on_step) : on_step_(std::move(on_step)) {}

  void captured(std::shared_ptr<const ObservedCapture> capture) override;
  void step_begins(int graph) override;
  void run_begins() override { run_begin_ = step_clock_ns(); }
  void step_ends() override;
  void op_begins(int node) override { spans_.op_begins(node, step_clock_ns()); }
  void op_ends(int node) override { spans_.op_ends(node, step_clock_ns()); }
  void region_begins(int call) override { spans_.region_begins(call, step_clock_ns()); }
  void region_ends(int call) override { spans_.region_ends(call, step_clock_ns()); }

 private:
  /// The kinds of a graph by name, and where each kind went.
  struct Kinds {
    std::vector<RegionTime> times;
    std::vector<std::size_t> place_of_kind;
  };

  Callback on_step_;
  std::shared_ptr<const ObservedCapture> capture_;
  std::vector<Kinds> kinds_;  // by graph of the capture
  std::vector<TimeSpan> storage_;
  RegionSpans spans_;
  const ObservedGraph* graph_ = nullptr;
  std::uint64_t step_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t run_begin_ = 0;
};

}  // namespace deepinfer
