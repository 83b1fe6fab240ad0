#include "cli/logits_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "deepinfer/error.h"
#include "engine/sequence_run.h"
#include "runner/captured_graph.h"

namespace deepinfer::cli {
namespace {

/// Appends, for each of the step's first `rows` rows, the sum over streams and width of every
/// layer's residual streams. In double: the order of a long float sum would show in the result.
void append_sums(const StepOutput& output, int rows, int captured_rows, LogitsResult& result) {
  for (std::size_t layer = 0; layer < result.sums.size(); ++layer) {
    const auto streams = output.traced_f32(fmt::format("layer.{}.streams", layer));
    const std::size_t width = streams.size() / static_cast<std::size_t>(captured_rows);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      double sum = 0;
      for (const float value : streams.subspan(row * width, width)) sum += value;
      result.sums[layer].push_back(static_cast<float>(sum));
    }
  }
}

}  // namespace

std::int64_t argmax(std::span<const float> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

LogitsResult run_logits(Runtime& runtime, const LogitsRequest& request) {
  const auto prompt = static_cast<std::int64_t>(request.tokens.size());
  if (prompt + request.greedy > runtime.max_context())
    throw Error::bad_input(
        "--tokens", "do not fit the context",
        {.expected = fmt::format("at most {} tokens", runtime.max_context()),
         .got = request.greedy > 0 ? fmt::format("{} and {} more", prompt, request.greedy)
                                   : std::to_string(prompt),
         .hint = "raise --max-context"});
  LogitsResult result;
  const ModelConfig& config = runtime.model().config();
  result.vocab = config.vocab_size;
  if (request.trace) result.sums.resize(static_cast<std::size_t>(config.num_hidden_layers));

  SequenceRun run(runtime, prompt + request.greedy);
  ProgressBar bar("running tokens");
  std::int64_t last_token = 0;
  const auto collect = [&](const StepOutput& output, std::int64_t first, int rows) {
    throw_if_interrupted();
    const std::int64_t end = first + rows;
    if (request.trace) append_sums(output, rows, runtime.runner().graph_for(rows).rows(), result);
    for (int row = 0; row < rows; ++row) {
      if (!request.all_positions && first + row + 1 < prompt) continue;
      const auto logits = output.logits(row);
      result.logits.insert(result.logits.end(), logits.begin(), logits.end());
    }
    if (end >= prompt) last_token = argmax(output.logits(rows - 1));
    bar.update(static_cast<std::uint64_t>(end),
               static_cast<std::uint64_t>(prompt + request.greedy));
  };

  run.feed(request.tokens, request.chunks, request.all_positions, collect);
  for (int step = 0; step < request.greedy; ++step) {
    const auto token = static_cast<std::int32_t>(last_token);
    result.tokens.push_back(token);
    run.feed({&token, 1}, {}, false, collect);
  }
  return result;
}

}  // namespace deepinfer::cli
