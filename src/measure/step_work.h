#pragma once

// What a step must do at least, per component of the model: bytes to read and multiply-adds with
// weights. Pure functions of the captured graph.

#include <array>
#include <vector>

#include "graph/op_reads.h"
#include "runner/observed_graph.h"

namespace deepinfer {

struct Work {
  double bytes = 0;
  double macs = 0;

  Work& operator+=(const Work& other) {
    bytes += other.bytes;
    macs += other.macs;
    return *this;
  }
};

struct StepWork {
  std::array<Work, kComponents> components = {};

  const Work& of(Component component) const {
    return components[static_cast<std::size_t>(component)];
  }
  Work total() const;
};

/// A step of these rows on `graph` (which may have padding rows besides). `logit_rows`: those whose
/// logits are wanted. `experts`: different experts per layer that the step's rows chose.
StepWork step_work(const ObservedGraph& graph, const std::vector<StepRows>& step, int logit_rows,
                   double experts);

/// Experts and choices per row of the model's first layer with experts; zeros if it has none.
struct ExpertCounts {
  std::int64_t experts = 0;
  std::int64_t per_row = 0;
};
ExpertCounts expert_counts(const ObservedGraph& graph);

}  // namespace deepinfer
