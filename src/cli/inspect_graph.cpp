// inspect --caches, --graph and --plan: what would be allocated and run, without doing either.

#include <fmt/format.h>

#include <map>
#include <set>

#include "backend/backend.h"
#include "backend/pjrt/stablehlo/lower.h"
#include "checkpoint/checkpoint_index.h"
#include "checkpoint/tensor_names.h"
#include "cli/inspect_sections.h"
#include "cli/planned_step.h"
#include "core/system_memory.h"
#include "graph/graph_json.h"
#include "graph/memory_plan.h"
#include "graph/passes.h"
#include "graph/printer.h"
#include "graph/regions.h"
#include "runner/step_caches.h"

namespace deepinfer::cli {
namespace {

/// What a backend made of `options` sets aside for an op.
WorkspaceBytes workspace_of(const Options& options) {
  const std::shared_ptr<Backend> backend = make_backend(options);
  return [backend](const Graph& graph, const Node& node) {
    return backend->workspace_bytes(graph, node);
  };
}

MemoryPlan plan_of(const Graph& graph, const Options& options) {
  return plan_memory(graph, workspace_of(options));
}

Json placements_json(const Graph& graph, const MemoryPlan& plan) {
  Json list = Json::array();
  for (std::size_t id = 0; id < plan.values.size(); ++id) {
    const Placement& place = plan.values[id];
    if (place.bytes == 0) continue;
    list.push_back({{"value", graph.values[id].name},
                    {"offset", place.offset},
                    {"bytes", place.bytes},
                    {"first_op", place.first_node},
                    {"last_op", place.last_node},
                    {"storage", graph.value(plan.storage_of[id]).name}});
  }
  return list;
}

using TensorBytes = std::map<std::string, std::uint64_t, std::less<>>;

/// By the headers of the weights that lie there; a config without weights says what they would be.
TensorBytes tensor_bytes(const ModelConfig& config, const std::string& directory) {
  TensorBytes bytes;
  if (has_weights(directory)) {
    const std::shared_ptr<const Checkpoint> checkpoint = Checkpoint::open(directory);
    for (const StoredTensor& tensor : checkpoint->tensors())
      bytes.emplace(tensor.name, tensor.data.size());
    return bytes;
  }
  for (const ExpectedTensor& tensor : expected_tensors(config)) {
    std::uint64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<std::uint64_t>(extent);
    bytes.emplace(tensor.name, elements * size_of(tensor.dtype()));
  }
  return bytes;
}

/// Bytes of the tensors that the graph reads.
std::uint64_t weight_bytes(const TensorBytes& tensors, const Graph& graph) {
  std::set<std::string> names;
  for (const Value& value : graph.values) {
    if (value.kind != ValueKind::weight) continue;
    std::vector<std::string> parts = value.tensor_names;
    if (parts.empty()) parts.push_back(value.name);
    for (const std::string& part : parts)
      for (const char* suffix : {"", ".weight", ".scale"}) names.insert(part + suffix);
  }
  std::uint64_t bytes = 0;
  for (const auto& [name, size] : tensors) bytes += names.contains(name) ? size : 0;
  return bytes;
}

}  // namespace

Section caches_section(const ModelConfig& config, const Options& options) {
  const CachePlan plan = plan_step_caches(config, options, available_memory());
  const CacheLayout layout(config, plan.geometry);
  layout.verify();
  Json roots = Json::object();
  for (const CacheRoot root : layout.roots())
    roots[std::string(name_of(root))] = layout.root_bytes(root);
  Json columns = Json::array();
  for (const CacheColumn& column : layout.columns()) {
    Json shape = Json::array();
    for (std::size_t axis = 0; axis < column.recipe.shape.rank(); ++axis)
      shape.push_back(column.recipe.shape[axis]);
    columns.push_back({{"name", column.name},
                       {"root", name_of(column.recipe.root)},
                       {"rows", column.recipe.shape[0]},
                       {"offset", column.recipe.offset},
                       {"row_bytes", column.recipe.row_bytes},
                       {"bytes", column.recipe.column_bytes()},
                       {"dtype", name_of(column.recipe.dtype)},
                       {"shape", shape}});
  }
  return {.text = layout.describe() + fmt::format("longest sequence {} tokens\n", plan.max_context),
          .json = {{"layout",
                    plan.geometry.layout == Layout::block_major ? "block_major" : "layer_major"},
                   {"typed_roots", plan.geometry.typed_roots},
                   {"roots", roots},
                   {"block_tokens", plan.geometry.block_tokens},
                   {"blocks", plan.geometry.blocks},
                   {"slots", plan.geometry.slots},
                   {"window_ring", layout.ring()},
                   {"max_context", plan.max_context},
                   {"kv_bytes", layout.root_bytes(CacheRoot::kv)},
                   {"state_bytes", layout.state_bytes()},
                   {"columns", columns}}};
}

Section graph_section(const ModelConfig& config, const Options& options, int rows,
                      const std::string& after) {
  const PlannedStep step(config, options, rows);
  if (after.empty() || after == kNoPass)
    return {.text = to_text(step.graph), .json = Json::parse(to_json(step.graph))};
  const PassResult passed = run_passes(step.graph, after);
  Section section{.text = to_text(passed.graph), .json = Json::parse(to_json(passed.graph))};
  section.json["after"] = after;
  section.json["passes"] = Json::array();
  for (const PassReport& report : passed.reports) {
    section.text +=
        fmt::format("# {}: {} ops, {} before\n", report.name, report.ops_after, report.ops_before);
    section.json["passes"].push_back({{"pass", report.name},
                                      {"ops_before", report.ops_before},
                                      {"ops_after", report.ops_after}});
  }
  if (after == kPassNames.back()) {
    const MemoryPlan plan = plan_of(passed.graph, options);
    section.text += plan.describe(passed.graph);
    section.json["plan"] = placements_json(passed.graph, plan);
    section.json["arena_bytes"] = plan.arena_bytes;
  }
  return section;
}

namespace {

template <typename Entry>
Json tensor_json(const Graph& graph, std::string_view kind, const Entry& entry) {
  return {{"kind", kind},
          {"value", graph.value(entry.value).name},
          {"type", pjrt::name_of(entry.type)},
          {"dims", entry.dims}};
}

}  // namespace

Section module_section(const ModelConfig& config, const Options& options, int rows,
                       const pjrt::DeviceFacts* facts) {
  const PlannedStep step(config, facts == nullptr ? options : options_for(options, *facts), rows);
  const Graph graph = run_passes(step.graph).graph;
  const WeightTypes types(config);
  pjrt::LowerOptions lowering;
  if (facts != nullptr) lowering.types = facts->types;
  lowering.plain_type = [&types](const Value& value) { return types.of(value); };
  const pjrt::LoweredModule module = pjrt::lower_graph(graph, lowering);
  Json parameters = Json::array();
  for (const pjrt::Parameter& parameter : module.parameters) {
    parameters.push_back(tensor_json(graph, pjrt::name_of(parameter.kind), parameter));
    if (parameter.result >= 0) parameters.back()["becomes_result"] = parameter.result;
  }
  Json results = Json::array();
  for (const pjrt::Result& result : module.results)
    results.push_back(tensor_json(graph, pjrt::name_of(result.kind), result));
  return {.text = module.text,
          .json = {{"after", kModule},
                   {"module", module.text},
                   {"parameters", parameters},
                   {"results", results}}};
}

/// The regions of the graph: their kinds, how often each is called, and what its calls share.
Json regions_json(const RegionPlan& regions, const RegionMemory& memory) {
  Json kinds = Json::array();
  for (std::size_t index = 0; index < regions.kinds.size(); ++index) {
    const RegionKind& kind = regions.kinds[index];
    const auto calls = std::count_if(
        regions.calls.begin(), regions.calls.end(),
        [index](const RegionCall& call) { return call.kind == static_cast<int>(index); });
    kinds.push_back({{"name", kind.name},
                     {"calls", calls},
                     {"ops", kind.graph->nodes.size()},
                     {"arguments", kind.arguments.size()},
                     {"results", kind.graph->outputs.size()}});
  }
  return {{"executables", regions.kinds.size()},
          {"calls", regions.calls.size()},
          {"lone_ops", regions.steps.size() - regions.calls.size()},
          {"arena_bytes", memory.arena_bytes},
          {"kinds", kinds}};
}

Section plan_section(const ModelConfig& config, const std::string& directory,
                     const Options& options, int rows) {
  const PlannedStep step(config, options, rows);
  const Graph graph = graph_for(options.graph_mode, step.graph);
  const MemoryPlan plan = plan_of(graph, options);
  const RegionPlan regions = plan_regions(graph);
  const RegionMemory region_memory = plan_region_memory(graph, regions, workspace_of(options));
  const std::uint64_t weights = weight_bytes(tensor_bytes(config, directory), graph);
  const std::int64_t kv = step.layout.root_bytes(CacheRoot::kv);
  const std::int64_t state = step.layout.state_bytes();
  return {.text = fmt::format("step of {} rows\nweights {} bytes (mapped)\nKV buffer {} bytes\n"
                              "state buffer {} bytes\nmode regions: arena {} bytes\n{}mode "
                              "whole: {}",
                              rows, weights, kv, state, region_memory.arena_bytes,
                              describe(regions), plan.describe(graph)),
          .json = {{"rows", rows},
                   {"weight_bytes", weights},
                   {"kv_bytes", kv},
                   {"state_bytes", state},
                   {"arena_bytes", plan.arena_bytes},
                   {"unshared_bytes", plan.unshared_bytes},
                   {"regions", regions_json(regions, region_memory)},
                   {"values", placements_json(graph, plan)}}};
}

}  // namespace deepinfer::cli
