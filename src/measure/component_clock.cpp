#include "measure/component_clock.h"

#include <numeric>

#include "runner/step_clock.h"

namespace deepinfer {

void ComponentClock::captured(std::shared_ptr<const ObservedCapture> capture) {
  capture_ = std::move(capture);
  graph_ = nullptr;
}

void ComponentClock::step_begins(int graph) {
  graph_ = &capture_->graphs[static_cast<std::size_t>(graph)];
  step_ = {};
}

void ComponentClock::run_begins() {
  if (on_) run_begin_ = step_clock_ns();
}

void ComponentClock::op_begins(int /*node*/) {
  if (on_) op_begin_ = step_clock_ns();
}

void ComponentClock::op_ends(int node) {
  if (!on_) return;
  const double ms = milliseconds(step_clock_ns() - op_begin_);
  ++step_.ops;
  const OpReads& reads = graph_->ops[static_cast<std::size_t>(node)].reads;
  step_.components[static_cast<std::size_t>(reads.component)] += ms;
  if (reads.multiplies_weights) step_.weight_ops += ms;
}

void ComponentClock::step_ends() {
  if (!on_) return;
  step_.total = milliseconds(step_clock_ns() - run_begin_);
  step_.outside_ops =
      step_.total - std::accumulate(step_.components.begin(), step_.components.end(), 0.0);
  step_.outside_weight_share = step_.total > 0 ? 1 - step_.weight_ops / step_.total : 0;
  last_ = step_;
}

}  // namespace deepinfer
