#include "cli/planned_step.h"

#include <fmt/format.h>

#include "checkpoint/tensor_names.h"
#include "core/system_memory.h"
#include "deepinfer/error.h"
#include "model/step_graph.h"
#include "runner/step_caches.h"

namespace deepinfer::cli {
namespace {

Graph build(const ModelConfig& config, const CachePlan& caches, const CacheLayout& layout,
            const Options& options, int rows) {
  if (rows > caches.geometry.max_step_rows)
    throw Error::bad_input("rows", "are more than the largest step has",
                           {.expected = fmt::format("1 to {}", caches.geometry.max_step_rows),
                            .got = std::to_string(rows),
                            .hint = "raise --prefill-bucket"});
  return build_step_graph(config, layout,
                          {.rows = rows,
                           .numerics = options.numerics,
                           .max_context = caches.max_context,
                           .trace = false});
}

}  // namespace

PlannedStep::PlannedStep(const ModelConfig& config, const Options& options, int rows)
    : caches(plan_step_caches(config, options, available_memory())),
      layout(config, caches.geometry),
      graph(build(config, caches, layout, options, rows)) {}

Options options_for(const Options& options, const pjrt::DeviceFacts& facts) {
  Options planned = options;
  planned.backend = BackendKind::pjrt;
  planned.pjrt_plugin = facts.files.empty() ? std::string() : std::string(facts.files.front());
  return planned;
}

WeightTypes::WeightTypes(const ModelConfig& config) {
  for (const ExpectedTensor& tensor : expected_tensors(config))
    types_.emplace(tensor.name, tensor.dtype());
}

DType WeightTypes::of(const Value& weight) const {
  return types_.at(weight.tensor_names.empty() ? weight.name : weight.tensor_names.front());
}

}  // namespace deepinfer::cli
