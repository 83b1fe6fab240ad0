#include "tests/support/graph_run.h"

#include <algorithm>
#include <numeric>

#include "model/step_inputs.h"
#include "runner/step_input.h"
#include "runner/weight_binding.h"

namespace deepinfer {

class GraphRun::StepBindings : public Bindings {
 public:
  StepBindings(const Model& model, const KvCaches& caches, const MetadataBuffers& metadata)
      : model_(model), caches_(caches), metadata_(metadata) {}
  std::byte* storage(const Value& value) const override {
    if (value.kind == ValueKind::root) return caches_.root(step_inputs::root_called(value.name));
    return metadata_.data(metadata_.field(value.name));
  }
  std::vector<WeightRef> weights(const Value& value) const override {
    return bind_weight(*model_.checkpoint, value);
  }

 private:
  const Model& model_;
  const KvCaches& caches_;
  const MetadataBuffers& metadata_;
};

GraphRun::GraphRun(const Model& model, const CacheGeometry& geometry, Graph graph,
                   std::unique_ptr<Backend> backend, GraphMode mode)
    : caches_(CacheLayout(model.config(), geometry)),
      graph_(std::make_shared<const Graph>(std::move(graph))),
      metadata_(*graph_),
      input_(metadata_, graph_->rows),
      prepare_(make_prepare_input(model, caches_)),
      backend_(std::move(backend)),
      bindings_(std::make_unique<StepBindings>(model, caches_, metadata_)),
      executable_(backend_->compile(graph_, *bindings_, mode)) {}

GraphRun::~GraphRun() = default;

std::int64_t GraphRun::root_bytes() const {
  std::int64_t bytes = 0;
  for (const CacheRoot root : caches_.layout().roots()) bytes += caches_.layout().root_bytes(root);
  return bytes;
}

std::vector<float> GraphRun::step(std::span<const std::int32_t> tokens, std::int64_t first) {
  const std::int64_t width = metadata_.field(step_inputs::kBlockTable).row_bytes /
                             static_cast<std::int64_t>(sizeof(std::int32_t));
  std::vector<std::int32_t> blocks(
      static_cast<std::size_t>(std::min(width, caches_.layout().geometry().blocks - 1)));
  std::iota(blocks.begin(), blocks.end(), 0);
  const SequenceMetadata sequence{.tokens = tokens,
                                  .first_position = first,
                                  .rows = static_cast<int>(tokens.size()) - static_cast<int>(first),
                                  .slot = 0,
                                  .blocks = blocks,
                                  .wants_logits = true,
                                  .all_logits = true};
  prepare_({&sequence, 1}, input_);
  executable_->run();
  const TensorRef logits = executable_->output("logits");
  const auto* begin = logits.row<const float>(0);
  return {begin, begin + sequence.rows * logits.shape[1]};
}

}  // namespace deepinfer
