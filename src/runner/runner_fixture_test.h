#pragma once

// A small model with caches and a standard PrepareInput, for the tests of the runner.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/kv_caches.h"
#include "deepinfer/error.h"
#include "deepinfer/graph_runner.h"
#include "model/model.h"
#include "runner/step_input.h"

namespace deepinfer {

class RunnerFixture : public testing::Test {
 protected:
  static constexpr std::int64_t kContext = 64;

  /// `checkpoint`: a directory under tests/data.
  explicit RunnerFixture(const std::string& checkpoint = "t41-odd")
      : model_(open_model("tests/data/" + checkpoint, EngramMode::memory)),
        caches_(std::in_place, CacheLayout(model_.config(), geometry())),
        prepare_(make_prepare_input(model_, *caches_)) {}

  static CacheGeometry geometry() {
    return {.block_tokens = 8, .blocks = 9, .slots = 4, .max_step_rows = 6, .layout = {}};
  }
  static Options options() {
    Options options;
    options.backend = BackendKind::reference;
    options.prefill_bucket = 6;
    return options;
  }
  void capture(GraphRunner& runner, const CaptureProgress& progress = {}) {
    runner.capture(model_, *caches_, prepare_, padding_sequence(geometry()), kContext, false,
                   progress);
  }
  /// One token at position 0 of a sequence in slot 0.
  void write_token(InputMetadata& input, std::int32_t token) {
    const std::vector<std::int32_t> tokens = {token};
    const std::vector<std::int32_t> blocks = {0};
    const SequenceMetadata sequence{.tokens = tokens,
                                    .first_position = 0,
                                    .rows = 1,
                                    .slot = 0,
                                    .blocks = blocks,
                                    .wants_logits = true,
                                    .all_logits = false};
    prepare_({&sequence, 1}, input);
  }
  /// The same, replayed on the graph that holds `rows` rows.
  StepOutput run_token(GraphRunner& runner, std::int32_t token, int rows = 1) {
    CapturedGraph& graph = runner.graph_for(rows);
    write_token(runner.input(graph), token);
    return runner.replay(graph);
  }
  template <typename Call>
  static std::string error_text(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Model model_;
  std::optional<KvCaches> caches_;
  PrepareInput prepare_;
};

}  // namespace deepinfer
