#pragma once

// From a built step graph to an executable, in the graph mode that was asked for or, with
// --fullgraph false, in the next one that works.
//
// A step "cannot be" in a mode if the backend's compiler fails on it (an Error of kind failed, or
// no memory), or if what it works in exceeds the memory limit. Then `whole` falls back to `regions`
// and that to `eager`; with --fullgraph true it is an Error. Every size decides for itself. Lives
// for one capture; one thread.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace deepinfer {

struct CompiledStep {
  GraphMode mode = GraphMode::whole;   ///< what it runs as
  std::shared_ptr<const Graph> graph;  ///< what was compiled
  std::unique_ptr<Executable> executable;
};

class StepCompiler {
 public:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  /// `memory_limit`: bytes that a step may work in. `backend` must outlive this.
  StepCompiler(Backend& backend, const Options& options, std::int64_t memory_limit = kNoLimit)
      : backend_(backend), options_(options), memory_limit_(memory_limit) {}

  /// Throws Error naming the step if no mode that is allowed works.
  CompiledStep compile(const Graph& built, const Bindings& bindings);

  /// The mode that compile() will choose by memory alone, and the bytes it works in.
  struct Plan {
    GraphMode mode = GraphMode::whole;
    std::size_t work_bytes = 0;
  };
  Plan plan(const Graph& built) const;

  /// What people must be told: one line per mode and reason that steps fell back from.
  std::vector<std::string> notes() const;

 private:
  struct Fallback {
    GraphMode from;
    GraphMode to;
    std::string reason;
    std::vector<int> rows;
  };

  std::vector<GraphMode> modes() const;
  void remember(int rows, GraphMode from, GraphMode to, const std::string& reason);

  Backend& backend_;
  const Options& options_;
  std::int64_t memory_limit_;
  std::vector<Fallback> fallbacks_;
};

}  // namespace deepinfer
