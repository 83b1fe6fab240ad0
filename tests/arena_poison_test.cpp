// Fault B16: an op that reads arena bytes before they are written. A second graph on the same
// backend fills the whole shared arena with NaN before every step.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/backend.h"
#include "graph/graph_builder.h"
#include "model/step_graph.h"
#include "model/step_inputs.h"
#include "runner/input_metadata.h"
#include "runner/step_input.h"
#include "runner/weight_binding.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class StepBindings : public Bindings {
 public:
  StepBindings(const Model& model, KvCaches& caches, MetadataBuffers& metadata)
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
  KvCaches& caches_;
  MetadataBuffers& metadata_;
};

/// A graph whose only intermediate is as large as the arena and becomes all NaN.
class Poison : public Bindings {
 public:
  Poison(Backend& backend, std::size_t arena_bytes)
      : input_(arena_bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN()) {
    GraphBuilder builder(1);
    const ValueId x =
        builder.metadata("x", DType::f32, {1, static_cast<std::int64_t>(input_.size())});
    builder.output("y", builder.add(Scale{}, {x}, "y"));
    executable_ =
        backend.compile(std::make_shared<const Graph>(builder.finish()), *this, GraphMode::whole);
  }
  std::byte* storage(const Value&) const override {
    return reinterpret_cast<std::byte*>(const_cast<float*>(input_.data()));
  }
  std::vector<WeightRef> weights(const Value&) const override { return {}; }
  void spread() { executable_->run(); }

 private:
  std::vector<float> input_;
  std::unique_ptr<Executable> executable_;
};

class ArenaPoison : public testing::TestWithParam<std::string> {};

TEST_P(ArenaPoison, B16_bytes_left_in_the_arena_never_reach_an_output) {
  constexpr int kRows = 24;
  constexpr std::int64_t kContext = 128;
  const Model model = open_model(test_model("t41"), EngramMode::memory);
  KvCaches caches(CacheLayout(model.config(), {.block_tokens = 64,
                                               .blocks = 3,
                                               .slots = 2,
                                               .max_step_rows = kRows,
                                               .layout = Layout::block_major}));
  const auto graph = std::make_shared<const Graph>(
      build_step_graph(model.config(), caches.layout(),
                       {.rows = kRows, .numerics = Numerics::official, .max_context = kContext}));
  MetadataBuffers metadata(*graph);
  InputMetadata input(metadata, kRows);
  const auto backend = backend_named(GetParam(), 2);
  const auto step =
      backend->compile(graph, StepBindings(model, caches, metadata), GraphMode::whole);
  Poison poison(*backend, step->info().arena_bytes);

  const std::vector<std::int32_t> tokens = random_tokens(95, 50);
  const std::vector<std::int32_t> blocks = {0};
  const PrepareInput prepare = make_prepare_input(model, caches);
  const auto run = [&](bool poisoned) {
    std::vector<float> all;
    std::int64_t position = 0;
    for (const int rows : {20, 1, 1, 24, 3, 1}) {  // never the same padding twice
      const SequenceMetadata sequence{.tokens = tokens,
                                      .first_position = position,
                                      .rows = rows,
                                      .slot = 0,
                                      .blocks = blocks,
                                      .wants_logits = true,
                                      .all_logits = true};
      prepare({&sequence, 1}, input);
      const TensorRef logits = step->output("logits");
      if (poisoned) {
        poison.spread();
        // The arena really is the step's own.
        EXPECT_TRUE(std::isnan(*logits.as<float>()));
      }
      step->run();
      const auto count = static_cast<std::size_t>(logits.shape.elements());
      all.insert(all.end(), logits.as<float>(), logits.as<float>() + count);
      position += rows;
    }
    return all;
  };
  const std::vector<float> clean = run(false);
  EXPECT_TRUE(same_bits(clean, run(true)));
}

INSTANTIATE_TEST_SUITE_P(Backends, ArenaPoison, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
