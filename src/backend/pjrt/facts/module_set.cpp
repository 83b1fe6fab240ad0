#include "backend/pjrt/facts/module_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backend/pjrt/facts/index_ranges.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

const ViewRecipe& recipe_of(const Graph& graph, ValueId view) {
  for (const Node& node : graph.nodes)
    if (const auto* op = std::get_if<CacheView>(&node.op); op && node.results.front() == view)
      return op->recipe;
  throw Error::failed("modules", "no view makes '" + graph.value(view).name + "'");
}

/// What the parameters that are offsets hold: any column fits into what it lies in.
std::map<std::string, Interval> bounds_of_offsets(const LoweredModule& module, const Graph& graph) {
  std::map<std::string, Interval> bounds;
  for (const Parameter& parameter : module.parameters) {
    if (parameter.kind != ParameterKind::offset) continue;
    const ViewRecipe& recipe = recipe_of(graph, parameter.value);
    const auto root = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
      return !node.results.empty() && node.results.front() == parameter.value;
    });
    const RootDims dims = root_dims(graph, root->operands.front());
    const std::int64_t behind = dims.by_rows ? 0 : (recipe.shape[0] - 1) * recipe.row_bytes;
    bounds[parameter.name] = {0, dims.width - behind - recipe.column_bytes()};
  }
  return bounds;
}

class Set {
 public:
  void add(std::string name, LoweredModule module) {
    const auto [known, fresh] = index_of_.emplace(module.text, modules_.size());
    if (fresh)
      modules_.push_back({.name = std::move(name), .runs = 0, .module = std::move(module)});
    ++modules_[known->second].runs;
  }

  std::vector<SetModule> take() { return std::move(modules_); }

 private:
  std::vector<SetModule> modules_;
  std::map<std::string, std::size_t> index_of_;
};

}  // namespace

std::vector<SetModule> module_set(const Graph& graph, GraphMode mode, LowerOptions options) {
  Set set;
  options.offset_parameters = mode != GraphMode::whole;
  const auto add_node = [&](const Node& node) {
    if (std::holds_alternative<CacheView>(node.op)) return;
    set.add(std::string(name_of(node.op)), lower_node(graph, node, options));
  };
  switch (mode) {
    case GraphMode::whole:
      set.add(fmt::format("step of {} rows", graph.rows), lower_graph(graph, options));
      break;
    case GraphMode::eager:
      for (const Node& node : graph.nodes) add_node(node);
      break;
    case GraphMode::regions: {
      const RegionPlan regions = plan_regions(graph);
      for (const RegionStep& step : regions.steps) {
        if (step.call < 0) {
          add_node(graph.nodes[static_cast<std::size_t>(step.node)]);
          continue;
        }
        const RegionCall& call = regions.calls[static_cast<std::size_t>(step.call)];
        const RegionKind& kind = regions.kinds[static_cast<std::size_t>(call.kind)];
        set.add("region " + kind.name, lower_region(graph, kind, call, options));
      }
      break;
    }
  }
  return set.take();
}

std::vector<Violation> check(const SetModule& entry, const Graph& graph, const ModuleRules& rules) {
  std::vector<Violation> faults = check_module(entry.module.text, rules);
  for (Violation& fault : check_indices(entry.module.text, bounds_of_offsets(entry.module, graph)))
    faults.push_back(std::move(fault));
  std::stable_sort(faults.begin(), faults.end(),
                   [](const Violation& a, const Violation& b) { return a.line < b.line; });
  return faults;
}

}  // namespace deepinfer::pjrt
