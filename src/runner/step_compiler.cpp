#include "runner/step_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>

#include "deepinfer/error.h"
#include "graph/passes.h"

namespace deepinfer {
namespace {

std::string_view what_is_not_possible(GraphMode mode) {
  return mode == GraphMode::whole ? "cannot be one graph" : "cannot run in regions";
}

}  // namespace

/// In the order they are tried.
std::vector<GraphMode> StepCompiler::modes() const {
  const GraphMode asked = options_.graph_mode;
  if (options_.fullgraph || asked == GraphMode::eager) return {asked};
  if (asked == GraphMode::regions) return {asked, GraphMode::eager};
  return {asked, GraphMode::regions, GraphMode::eager};
}

CompiledStep StepCompiler::compile(const Graph& built, const Bindings& bindings) {
  const std::vector<GraphMode> tried = modes();
  for (std::size_t index = 0;; ++index) {
    const GraphMode mode = tried[index];
    CompiledStep step{.mode = mode,
                      .graph = std::make_shared<const Graph>(graph_for(mode, built)),
                      .executable = nullptr};
    std::string reason;
    const std::size_t bytes = backend_.work_bytes(*step.graph, mode);
    if (static_cast<std::int64_t>(bytes) > memory_limit_) {
      reason = fmt::format("it works in {} bytes of memory, and {} are left", bytes, memory_limit_);
    } else {
      try {
        step.executable = backend_.compile(step.graph, bindings, mode);
        return step;
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::failed) throw;  // not the compiler's fault
        reason = error.what();
      } catch (const std::bad_alloc&) {
        reason = fmt::format("no memory for the {} bytes it works in", bytes);
      }
    }
    if (index + 1 == tried.size())
      throw Error::failed(
          fmt::format("step of {} rows", built.rows),
          fmt::format("{}: {}", what_is_not_possible(mode), reason),
          {.expected = {},
           .got = {},
           .hint = options_.fullgraph ? "--fullgraph false lets such a step run in smaller pieces"
                                      : ""});
    remember(built.rows, mode, tried[index + 1], reason);
  }
}

StepCompiler::Plan StepCompiler::plan(const Graph& built) const {
  Plan plan;
  for (const GraphMode mode : modes()) {
    plan = {.mode = mode, .work_bytes = backend_.work_bytes(graph_for(mode, built), mode)};
    if (static_cast<std::int64_t>(plan.work_bytes) <= memory_limit_) break;
  }
  return plan;
}

void StepCompiler::remember(int rows, GraphMode from, GraphMode to, const std::string& reason) {
  for (Fallback& known : fallbacks_)
    if (known.from == from && known.reason == reason) {
      known.rows.push_back(rows);
      return;
    }
  fallbacks_.push_back({.from = from, .to = to, .reason = reason, .rows = {rows}});
}

std::vector<std::string> StepCompiler::notes() const {
  std::vector<std::string> notes;
  notes.reserve(fallbacks_.size());
  for (const Fallback& fallback : fallbacks_)
    notes.push_back(fmt::format("steps of {} rows {} and fall back to {}: {}",
                                fmt::join(fallback.rows, ", "), what_is_not_possible(fallback.from),
                                name_of(fallback.to), fallback.reason));
  return notes;
}

}  // namespace deepinfer
