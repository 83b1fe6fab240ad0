#include "runner/retired_graphs.h"

#include <utility>

namespace deepinfer {

void RetiredGraphs::keep(std::unique_ptr<CapturedGraph> graph) {
  graph->retire();
  by_rows_[graph->rows()].push_back(std::move(graph));
}

std::unique_ptr<CapturedGraph> RetiredGraphs::handle(CapturedGraph::Owner owner,
                                                     std::unique_ptr<CapturedStep> step) {
  const int rows = step->graph->rows;
  auto& retired = by_rows_[rows];
  if (retired.size() < kRemembered)
    return std::make_unique<CapturedGraph>(owner, rows, std::move(step));
  std::unique_ptr<CapturedGraph> oldest = std::move(retired.front());
  retired.pop_front();
  oldest->reuse(owner, std::move(step));
  return oldest;
}

}  // namespace deepinfer
