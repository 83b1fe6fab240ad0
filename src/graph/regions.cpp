#include "graph/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace deepinfer {
namespace {

constexpr std::string_view kLayers = "layers.";

/// "layers.3" of "layers.3.attn.indexer"; empty outside layers.
std::string_view layer_of(std::string_view place) {
  if (!place.starts_with(kLayers)) return {};
  return place.substr(0, place.find('.', kLayers.size()));
}

/// Nodes of one region, in order.
struct Cut {
  std::string part;  // "layers.3.attn"; empty: a node by itself
  std::vector<int> nodes;
};

/// The part of every node. Glue between parts ("layers.3") goes with the part it leads to, or at
/// the layer's end with the part before it.
std::vector<std::string> parts_of(const Graph& graph) {
  std::vector<std::string> parts;
  parts.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) parts.push_back(region_part(node.place));
  const auto is_glue = [&](std::size_t index) {
    return !parts[index].empty() && parts[index] == layer_of(parts[index]);
  };
  std::string next;
  for (std::size_t index = parts.size(); index-- > 0;) {
    if (!is_glue(index))
      next = parts[index];
    else if (layer_of(next) == parts[index])
      parts[index] = next;
  }
  for (std::size_t index = 1; index < parts.size(); ++index)
    if (is_glue(index) && layer_of(parts[index - 1]) == parts[index])
      parts[index] = parts[index - 1];
  return parts;
}

std::vector<Cut> cut(const Graph& graph) {
  const std::vector<std::string> parts = parts_of(graph);
  std::vector<Cut> cuts;
  for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
    if (std::holds_alternative<CacheView>(graph.nodes[index].op)) continue;
    if (parts[index].empty() || cuts.empty() || cuts.back().part != parts[index])
      cuts.push_back({.part = parts[index], .nodes = {}});
    cuts.back().nodes.push_back(static_cast<int>(index));
  }
  return cuts;
}

/// Values that are read outside of the cut that makes them, or are outputs.
std::set<ValueId> crossing_values(const Graph& graph, const std::vector<Cut>& cuts) {
  std::vector<int> maker(graph.values.size(), -1);
  std::set<ValueId> crossing;
  for (std::size_t index = 0; index < cuts.size(); ++index)
    for (const int node : cuts[index].nodes)
      for (const ValueId id : graph.nodes[static_cast<std::size_t>(node)].results)
        maker[static_cast<std::size_t>(id)] = static_cast<int>(index);
  for (std::size_t index = 0; index < cuts.size(); ++index)
    for (const int node : cuts[index].nodes)
      for (const ValueId id : graph.nodes[static_cast<std::size_t>(node)].operands)
        if (maker[static_cast<std::size_t>(id)] != static_cast<int>(index)) crossing.insert(id);
  for (const GraphOutput& output : graph.outputs) crossing.insert(output.value);
  return crossing;
}

/// `name` without its layer: "attn.q" of "layers.3.attn.q".
std::string without_layer(const std::string& name) {
  const std::string_view layer = layer_of(name);
  return layer.empty() || layer.size() + 1 >= name.size() ? name : name.substr(layer.size() + 1);
}

/// A region's nodes as a graph of their own, and the call that binds it to the step graph.
struct Extracted {
  Graph graph;
  std::vector<ValueId> arguments;
  RegionCall call;
};

class Extraction {
 public:
  explicit Extraction(const Graph& step) : step_(step) { out_.graph.rows = step.rows; }

  Extracted run(const Cut& region, const std::set<ValueId>& crossing) {
    out_.call.place = region.part;
    out_.call.nodes = region.nodes;
    for (const int index : region.nodes) add_node(step_.nodes[static_cast<std::size_t>(index)]);
    for (const auto& [outer, inner] : made_) {
      if (!crossing.contains(outer)) continue;
      out_.graph.outputs.push_back({out_.graph.value(inner).name, inner});
      out_.call.results.push_back(outer);
    }
    return std::move(out_);
  }

 private:
  void add_node(const Node& node) {
    Node copy = node;
    copy.place = without_layer(node.place);
    if (copy.place == node.place) copy.place.clear();  // glue: "layers.3" itself
    for (ValueId& id : copy.operands) id = operand(id);
    for (ValueId& id : copy.results) {
      const ValueId inner = add_value(step_.value(id), false);
      made_.emplace_back(id, inner);
      inner_[id] = inner;
      id = inner;
    }
    out_.graph.nodes.push_back(std::move(copy));
  }

  ValueId operand(ValueId outer) {
    const auto known = inner_.find(outer);
    if (known != inner_.end()) return known->second;
    const ValueId inner = add_value(step_.value(outer), true);
    out_.arguments.push_back(inner);
    out_.call.arguments.push_back(outer);
    inner_[outer] = inner;
    return inner;
  }

  ValueId add_value(Value value, bool argument) {
    value.argument = argument;
    value.name = without_layer(value.name);
    value.tensor_names.clear();  // which tensors is the call's business
    // The streams a layer reads and those it makes have one name without their layers.
    const std::string name = value.name;
    for (int number = 2; !names_.insert(value.name).second; ++number)
      value.name = fmt::format("{}.{}", name, number);
    out_.graph.values.push_back(std::move(value));
    return static_cast<ValueId>(out_.graph.values.size() - 1);
  }

  const Graph& step_;
  Extracted out_;
  std::map<ValueId, ValueId> inner_;
  std::vector<std::pair<ValueId, ValueId>> made_;  // in the order of the nodes
  std::set<std::string> names_;
};

bool same_value(const Value& a, const Value& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape && a.format == b.format &&
         a.argument == b.argument;
}

bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && a.operands == b.operands && a.results == b.results;
}

bool same_output(const GraphOutput& a, const GraphOutput& b) { return a.value == b.value; }

bool same_kind(const RegionKind& kind, const Extracted& region) {
  const Graph& a = *kind.graph;
  const Graph& b = region.graph;
  return kind.arguments == region.arguments &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    same_value) &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    same_output);
}

}  // namespace

std::string region_part(std::string_view place) {
  const std::string_view layer = layer_of(place);
  if (layer.empty() || layer.size() == place.size()) return std::string(layer);
  return std::string(place.substr(0, place.find('.', layer.size() + 1)));
}

RegionPlan plan_regions(const Graph& graph) {
  const std::vector<Cut> cuts = cut(graph);
  const std::set<ValueId> crossing = crossing_values(graph, cuts);
  RegionPlan plan;
  std::map<std::string, int> kinds_of_part;
  for (const Cut& region : cuts) {
    if (region.part.empty()) {
      plan.steps.push_back({.call = -1, .node = region.nodes.front()});
      continue;
    }
    Extracted extracted = Extraction(graph).run(region, crossing);
    auto kind = std::find_if(plan.kinds.begin(), plan.kinds.end(),
                             [&](const RegionKind& known) { return same_kind(known, extracted); });
    if (kind == plan.kinds.end()) {
      const std::string part = without_layer(region.part);
      plan.kinds.push_back({.name = fmt::format("{}.{}", part, ++kinds_of_part[part]),
                            .graph = std::make_shared<const Graph>(std::move(extracted.graph)),
                            .arguments = std::move(extracted.arguments)});
      kind = plan.kinds.end() - 1;
    }
    extracted.call.kind = static_cast<int>(kind - plan.kinds.begin());
    plan.steps.push_back({.call = static_cast<int>(plan.calls.size()), .node = -1});
    plan.calls.push_back(std::move(extracted.call));
  }
  return plan;
}

std::string describe(const RegionPlan& regions) {
  std::vector<int> calls(regions.kinds.size(), 0);
  for (const RegionCall& call : regions.calls) ++calls[static_cast<std::size_t>(call.kind)];
  std::string text =
      fmt::format("{} regions of {} kinds, {} ops by themselves\n", regions.calls.size(),
                  regions.kinds.size(), regions.steps.size() - regions.calls.size());
  text +=
      fmt::format("{:<12}{:>7}{:>6}{:>11}{:>9}\n", "kind", "calls", "ops", "arguments", "results");
  for (std::size_t index = 0; index < regions.kinds.size(); ++index) {
    const RegionKind& kind = regions.kinds[index];
    text +=
        fmt::format("{:<12}{:>7}{:>6}{:>11}{:>9}\n", kind.name, calls[index],
                    kind.graph->nodes.size(), kind.arguments.size(), kind.graph->outputs.size());
  }
  return text;
}

}  // namespace deepinfer
