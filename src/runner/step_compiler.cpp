#include "runner/step_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>

#include "deepinfer/error.h"
#include "graph/passes.h"

namespace deepinfer {
namespace {

std::string_view what_is_not_possible(GraphMode mode) {
  switch (mode) {
    case GraphMode::whole:
      return "cannot be one graph";
    case GraphMode::regions:
      return "cannot run in regions";
    case GraphMode::eager:
      break;
  }
  return "cannot be compiled";
}

}  // namespace

/// In the order they are tried.
std::vector<GraphMode> StepCompiler::modes() const {
  const GraphMode asked = options_.graph_mode;
  if (options_.fullgraph || asked == GraphMode::eager) return {asked};
  if (asked == GraphMode::regions) return {asked, GraphMode::eager};
  return {asked, GraphMode::regions, GraphMode::eager};
}

std::optional<CompiledStep> StepCompiler::try_mode(GraphMode mode, const Graph& built,
                                                   const Bindings& bindings, std::string& reason) {
  CompiledStep step{.mode = mode,
                    .graph = std::make_shared<const Graph>(graph_for(mode, built)),
                    .executable = nullptr};
  const std::size_t bytes = backend_.work_bytes(*step.graph, mode);
  if (static_cast<std::int64_t>(bytes) > memory_limit_) {
    reason = fmt::format("it works in {} bytes of memory, and {} are left", bytes, memory_limit_);
    return std::nullopt;
  }
  try {
    step.executable = backend_.compile(step.graph, bindings, mode);
    return step;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::failed) throw;  // not the compiler's fault
    reason = error.what();
  } catch (const std::bad_alloc&) {
    reason = fmt::format("no memory for the {} bytes it works in", bytes);
  }
  return std::nullopt;
}

std::optional<CompiledStep> StepCompiler::try_modes(const Graph& built, const Bindings& bindings,
                                                    std::vector<Refusal>& refusals) {
  for (const GraphMode mode : modes()) {
    std::string reason;
    auto step = try_mode(mode, built, bindings, reason);
    if (step.has_value()) {
      remember(built.rows, refusals, mode);
      return step;
    }
    refusals.push_back({.mode = mode, .reason = std::move(reason)});
  }
  return std::nullopt;
}

CompiledStep StepCompiler::compile(const Graph& built, const Bindings& bindings,
                                   std::int64_t context) {
  std::vector<Refusal> refusals;
  auto step = try_modes(built, bindings, refusals);
  if (step.has_value()) return std::move(*step);
  const Refusal& last = refusals.back();
  throw Error::failed(
      fmt::format("step of {} rows{}", built.rows,
                  context > 0 ? fmt::format(", sequences of up to {}", context) : ""),
      fmt::format("{}: {}", what_is_not_possible(last.mode), last.reason),
      {.expected = {},
       .got = {},
       .hint =
           options_.fullgraph ? "--fullgraph false lets such a step run in smaller pieces" : ""});
}

std::optional<CompiledStep> StepCompiler::compile_or_leave_out(const Graph& built,
                                                               const Bindings& bindings,
                                                               std::int64_t context, int larger) {
  if (options_.fullgraph) return compile(built, bindings, context);
  std::vector<Refusal> refusals;
  auto step = try_modes(built, bindings, refusals);
  if (!step.has_value())
    left_out_.push_back(fmt::format(
        "steps of {} rows cannot be compiled and run at {} rows{}: {}", built.rows, larger,
        larger == built.rows ? ", for longer sequences" : "", refusals.back().reason));
  return step;
}

StepCompiler::Plan StepCompiler::plan(const Graph& built) const {
  Plan plan;
  for (const GraphMode mode : modes()) {
    plan = {.mode = mode, .work_bytes = backend_.work_bytes(graph_for(mode, built), mode)};
    if (static_cast<std::int64_t>(plan.work_bytes) <= memory_limit_) break;
  }
  return plan;
}

void StepCompiler::remember(int rows, const std::vector<Refusal>& refusals, GraphMode chosen) {
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    const GraphMode from = refusals[i].mode;
    const std::string& reason = refusals[i].reason;
    const auto known = std::find_if(
        fallbacks_.begin(), fallbacks_.end(),
        [&](const Fallback& entry) { return entry.from == from && entry.reason == reason; });
    if (known == fallbacks_.end())
      fallbacks_.push_back({.from = from,
                            .to = i + 1 < refusals.size() ? refusals[i + 1].mode : chosen,
                            .reason = reason,
                            .rows = {rows}});
    else if (known->rows.back() != rows)  // else for sequences of another length
      known->rows.push_back(rows);
  }
}

std::vector<std::string> StepCompiler::notes() const {
  std::vector<std::string> notes;
  notes.reserve(fallbacks_.size() + left_out_.size());
  for (const Fallback& fallback : fallbacks_)
    notes.push_back(fmt::format("steps of {} rows {} and fall back to {}: {}",
                                fmt::join(fallback.rows, ", "), what_is_not_possible(fallback.from),
                                name_of(fallback.to), fallback.reason));
  notes.insert(notes.end(), left_out_.begin(), left_out_.end());
  return notes;
}

}  // namespace deepinfer
