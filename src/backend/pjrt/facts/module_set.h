#pragma once

// The programs that a graph needs in a mode: what a plug-in's compiler is given before a step can
// run. Pure; texts alone, nothing is compiled.

#include <string>
#include <vector>

#include "backend/pjrt/facts/module_rules.h"
#include "backend/pjrt/stablehlo/lower.h"
#include "deepinfer/options.h"

namespace deepinfer::pjrt {

struct SetModule {
  std::string name;      ///< of its first use: an op, "region attn.2", "step of 4 rows"
  std::size_t runs = 0;  ///< per step
  LoweredModule module;
};

/// Modules of distinct text in the order of their first use. whole: one; regions: one per kind and
/// per op outside; eager: one per op and shape. `options` as for lower_graph(); offsets become
/// parameters in all modes but whole.
std::vector<SetModule> module_set(const Graph& graph, GraphMode mode, LowerOptions options);

/// What is wrong with a module of a set of `graph`: rules that it breaks, and indices that could
/// leave what they index (index_ranges.h), on any device.
std::vector<Violation> check(const SetModule& entry, const Graph& graph, const ModuleRules& rules);

}  // namespace deepinfer::pjrt
