#include "engine/runtime.h"

#include <utility>

#include "core/system_memory.h"
#include "runner/step_input.h"

namespace deepinfer {

Runtime::Runtime(Model model, Options options, bool trace, const CaptureProgress& progress)
    : model_(std::move(model)),
      options_(std::move(options)),
      plan_(plan_caches(model_.config(), options_, available_memory())),
      caches_(CacheLayout(model_.config(), plan_.geometry)),
      prepare_input_(make_prepare_input(model_, caches_)),
      runner_(options_.max_batch, options_, options_.input_on_device) {
  runner_.capture(model_, caches_, prepare_input_, padding_sequence(plan_.geometry),
                  plan_.max_context, trace, progress);
}

StepOutput Runtime::step(std::span<const SequenceMetadata> sequences) {
  int rows = 0;
  for (const SequenceMetadata& sequence : sequences) rows += sequence.rows;
  CapturedGraph& graph = runner_.graph_for(rows);
  // With input_on_device the step is written where the graph reads it, and replay copies nothing.
  prepare_input_(sequences,
                 options_.input_on_device ? runner_.device_input(graph) : runner_.input(graph));
  return runner_.replay(graph);
}

}  // namespace deepinfer
