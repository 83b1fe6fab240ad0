#include "measure/step_work.h"

namespace deepinfer {

Work StepWork::total() const {
  Work sum;
  for (const Work& work : components) sum += work;
  return sum;
}

StepWork step_work(const ObservedGraph& graph, const std::vector<StepRows>& step, int logit_rows,
                   double experts) {
  std::int64_t rows = 0;
  for (const StepRows& part : step) rows += part.rows;
  StepWork work;
  for (const ObservedOp& op : graph.ops) {
    Work& component = work.components[static_cast<std::size_t>(op.reads.component)];
    const bool head = op.reads.component == Component::head;
    if (head && logit_rows == 0) continue;
    component.bytes += bytes_read(op.reads, step, experts);
    if (!op.reads.multiplies_weights) continue;
    // Costs are those of all rows of the graph, two flops per multiply-add.
    const double of_a_row = static_cast<double>(op.cost.flops) / 2 / graph.rows;
    component.macs += of_a_row * (head ? logit_rows : static_cast<double>(rows));
  }
  return work;
}

ExpertCounts expert_counts(const ObservedGraph& graph) {
  for (const ObservedOp& op : graph.ops)
    if (op.reads.experts > 0)
      return {.experts = op.reads.experts, .per_row = op.reads.experts_per_row};
  return {};
}

}  // namespace deepinfer
