#include "runner/capture_memory.h"

#include <algorithm>

#include "model/step_graph.h"
#include "runner/input_metadata.h"
#include "runner/step_sizes.h"

namespace deepinfer {

CaptureMemory plan_capture_memory(const Model& model, const Options& options,
                                  const CacheLayout& layout, std::int64_t max_context, bool trace,
                                  std::int64_t limit) {
  const auto build = [&](int rows, std::int64_t context) {
    return build_step_graph(
        model.config(), layout,
        {.rows = rows, .numerics = options.numerics, .max_context = context, .trace = trace});
  };
  const std::vector<int> sizes = step_sizes(options.max_batch, options.prefill_bucket);
  const Graph largest = build(sizes.back(), max_context);
  CaptureMemory memory{
      .mode = {}, .work_bytes = 0, .metadata_bytes = 2 * MetadataBuffers::bytes_for(largest)};
  const std::int64_t for_work = limit == StepCompiler::kNoLimit
                                    ? limit
                                    : std::max<std::int64_t>(limit - memory.metadata_bytes, 0);
  if (options.backend == BackendKind::pjrt) {
    // It works on its device, and to ask it would start that twice.
    memory.mode = options.graph_mode;
    return memory;
  }
  const auto backend = make_backend(options);
  const StepCompiler::Plan plan = StepCompiler(*backend, options, for_work).plan(largest);
  memory.mode = plan.mode;
  memory.work_bytes = static_cast<std::int64_t>(plan.work_bytes);
  if (plan.mode == GraphMode::eager)  // every graph keeps results of its own
    for (const int rows : sizes)
      for (const std::int64_t context : step_contexts(options, max_context))
        if (rows != sizes.back() || context != max_context)
          memory.work_bytes += static_cast<std::int64_t>(
              backend->work_bytes(build(rows, context), GraphMode::eager));
  return memory;
}

}  // namespace deepinfer
