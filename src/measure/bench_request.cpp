#include <fmt/format.h>

#include "deepinfer/error.h"
#include "measure/bench_run.h"

namespace deepinfer {

std::int64_t positions_of(const BenchRequest& request) {
  return request.prompt_tokens + static_cast<std::int64_t>(request.gen_tokens) * request.repeat *
                                     static_cast<std::int64_t>(request.batches.size());
}

void check_request(const BenchRequest& request, const Options& options, const ModelConfig& config) {
  if (request.batches.empty())
    throw Error::bad_input("--batch", "the list is empty",
                           {.expected = "at least one batch size", .got = "none", .hint = {}});
  for (const int batch : request.batches)
    if (batch < 1 || batch > options.max_batch)
      throw Error::bad_input("--batch", "a batch size is out of range",
                             {.expected = fmt::format("1 to {}", options.max_batch),
                              .got = std::to_string(batch),
                              .hint = batch < 1 ? "" : "raise --max-batch"});
  const std::int64_t most =
      options.max_context > 0 ? options.max_context : config.max_position_embeddings;
  if (positions_of(request) > most)
    throw Error::bad_input("--prompt-tokens",
                           "the prompt and what all repeats generate do not fit the context",
                           {.expected = fmt::format("at most {} tokens", most),
                            .got = fmt::format("{} and {} more", request.prompt_tokens,
                                               positions_of(request) - request.prompt_tokens),
                            .hint = {}});
}

}  // namespace deepinfer
