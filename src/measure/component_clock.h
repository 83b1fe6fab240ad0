#pragma once

// A StepWatcher that adds up, per component of the model, what the ops of a step took. While it is
// off it reads no clock. One thread; allocates when a capture is announced and never in a step.

#include <array>
#include <memory>
#include <vector>

#include "graph/op_reads.h"
#include "runner/step_watcher.h"

namespace deepinfer {

/// Of one step's graph run, in milliseconds.
struct StepTimes {
  double total = 0;
  std::array<double, kComponents> components = {};
  double outside_ops = 0;           ///< of the total
  double weight_ops = 0;            ///< of the total: ops that multiply by a weight matrix
  double outside_weight_share = 0;  ///< what is left of the total, 0 to 1
  int ops = 0;                      ///< that were announced; a device's backend announces none
};

class ComponentClock : public StepWatcher {
 public:
  void turn(bool on) { on_ = on; }
  /// The last step that was run while it was on.
  const StepTimes& last() const { return last_; }
  /// What the observed graphs are.
  const ObservedCapture& capture() const { return *capture_; }
  /// The graph that the last step ran, whether on or off.
  const ObservedGraph& graph() const { return *graph_; }

  void captured(std::shared_ptr<const ObservedCapture> capture) override;
  void step_begins(int graph) override;
  void run_begins() override;
  void step_ends() override;
  void op_begins(int node) override;
  void op_ends(int node) override;

 private:
  std::shared_ptr<const ObservedCapture> capture_;
  const ObservedGraph* graph_ = nullptr;
  bool on_ = false;
  std::int64_t run_begin_ = 0;
  std::int64_t op_begin_ = 0;
  StepTimes step_;
  StepTimes last_;
};

}  // namespace deepinfer
