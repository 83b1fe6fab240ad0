#include "engine/runtime.h"

#include <algorithm>
#include <utility>

#include "core/process_memory.h"
#include "core/system_memory.h"
#include "core/thread_pool.h"
#include "engine/start_memory.h"
#include "runner/step_caches.h"
#include "runner/step_input.h"

namespace deepinfer {

Runtime::Runtime(Model model, Options options, bool trace, const CaptureProgress& progress)
    : Runtime(std::move(model), std::move(options), BackendFactory(), trace, progress) {}

Runtime::Runtime(Model model, Options options, BackendFactory make_backend)
    : Runtime(std::move(model), std::move(options), std::move(make_backend), false, {}) {}

Runtime::Runtime(Model model, Options options, BackendFactory make_backend, bool trace,
                 const CaptureProgress& progress)
    : model_(std::move(model)),
      options_(std::move(options)),
      available_(available_memory()),
      plan_(plan_step_caches(model_.config(), options_, available_)),
      memory_(plan_start_memory(model_, options_, CacheLayout(model_.config(), plan_.geometry),
                                plan_.max_context, trace, available_)),
      caches_(CacheLayout(model_.config(), plan_.geometry)),
      prepare_input_(make_prepare_input(model_, caches_)),
      runner_(options_.max_batch, options_, options_.input_on_device, std::move(make_backend)) {
  caches_.populate();
  runner_.limit_memory(work_limit(memory_, available_));
  runner_.capture(model_, caches_, prepare_input_, padding_sequence(plan_.geometry),
                  plan_.max_context, trace, progress);
  memory_.device = runner_.device_memory();
  return_free_heap();  // of the load: what is resident from here on is what memory_ says
  add_program_parts(memory_, heap_in_use(),
                    options_.threads > 0 ? options_.threads : ThreadPool::default_threads());
}

StepOutput Runtime::step(std::span<const SequenceMetadata> sequences) {
  int rows = 0;
  std::int64_t context = 0;
  for (const SequenceMetadata& sequence : sequences) {
    rows += sequence.rows;
    context = std::max(context, sequence.first_position + sequence.rows);
  }
  CapturedGraph& graph = runner_.graph_for(rows, context);
  // With input_on_device the step is written where the graph reads it, and replay copies nothing.
  prepare_input_(sequences,
                 options_.input_on_device ? runner_.device_input(graph) : runner_.input(graph));
  return runner_.replay(graph);
}

}  // namespace deepinfer
