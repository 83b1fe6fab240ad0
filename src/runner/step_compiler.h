#pragma once

// From a built step graph to an executable, in the graph mode that was asked for or, with
// --fullgraph false, in the next one that works; a size that none works for is left out.
//
// A step "cannot be" in a mode if the backend's compiler fails on it (an Error of kind failed, or
// no memory), or if what it works in exceeds the memory limit. Then `whole` falls back to `regions`
// and that to `eager`; with --fullgraph true it is an Error. Every size decides for itself. Lives
// for one capture; one thread.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
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

  /// Throws Error naming the step, and `context` (the longest sequence that it is for; 0: every
  /// sequence), if no mode that is allowed works.
  CompiledStep compile(const Graph& built, const Bindings& bindings, std::int64_t context);
  /// The same, but with --fullgraph false a step that no mode works for is left out (empty): its
  /// rows can run at `larger` rows, a size that is compiled.
  std::optional<CompiledStep> compile_or_leave_out(const Graph& built, const Bindings& bindings,
                                                   std::int64_t context, int larger);

  /// The mode that compile() will choose by memory alone, and the bytes it works in.
  struct Plan {
    GraphMode mode = GraphMode::whole;
    std::size_t work_bytes = 0;
  };
  Plan plan(const Graph& built) const;

  /// What people must be told: one line per mode and reason that steps fell back from, and one per
  /// step that is left out.
  std::vector<std::string> notes() const;

 private:
  struct Fallback {
    GraphMode from;
    GraphMode to;
    std::string reason;
    std::vector<int> rows;
  };
  struct Refusal {
    GraphMode mode;
    std::string reason;
  };

  std::vector<GraphMode> modes() const;
  /// Empty if no mode works; `refusals` gets those that do not, in the order they were tried.
  std::optional<CompiledStep> try_modes(const Graph& built, const Bindings& bindings,
                                        std::vector<Refusal>& refusals);
  /// The step in `mode`, or why it cannot be.
  std::optional<CompiledStep> try_mode(GraphMode mode, const Graph& built, const Bindings& bindings,
                                       std::string& reason);
  void remember(int rows, const std::vector<Refusal>& refusals, GraphMode chosen);

  Backend& backend_;
  const Options& options_;
  std::int64_t memory_limit_;
  std::vector<Fallback> fallbacks_;
  std::vector<std::string> left_out_;
};

}  // namespace deepinfer
