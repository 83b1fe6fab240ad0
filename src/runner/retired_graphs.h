#pragma once

// Handles of graphs that are captured no more. Users may still hold references to them, so their
// addresses must not go to other graphs while a use of them has to be refused; yet a process that
// captures again and again must not grow. So a bounded number is remembered per size, and the
// oldest becomes the handle of a new graph of the same size: a reference that old names that graph.
// It never dangles.
//
// Owned by a GraphRunner; one thread.

#include <cstddef>
#include <deque>
#include <map>
#include <memory>

#include "runner/captured_graph.h"

namespace deepinfer {

class RetiredGraphs {
 public:
  /// Retired handles of a size: 2 KiB of them. Far more captures than anybody holds a handle over.
  static constexpr std::size_t kRemembered = 64;

  /// Retires a handle and keeps it.
  void keep(std::unique_ptr<CapturedGraph> graph);
  /// A handle for `step`: a new one, or the oldest of its size if kRemembered are kept.
  std::unique_ptr<CapturedGraph> handle(CapturedGraph::Owner owner,
                                        std::unique_ptr<CapturedStep> step);

 private:
  std::map<int, std::deque<std::unique_ptr<CapturedGraph>>> by_rows_;  // oldest first
};

}  // namespace deepinfer
