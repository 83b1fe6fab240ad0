#pragma once

// One request run to its end, with its text handed on as it becomes certain. One thread.

#include <functional>
#include <string_view>
#include <vector>

#include "deepinfer/engine.h"

namespace deepinfer::cli {

struct Generation {
  std::size_t prompt_tokens = 0;
  std::vector<std::int32_t> tokens;  ///< every generated id, an end-of-sequence token included
  std::string text;
  FinishReason reason = FinishReason::stop;  ///< cancelled: by Ctrl-C
  double prefill_ms = 0;                     ///< until the first token
  double decode_ms = 0;                      ///< from then on
  std::uint64_t prefill_steps = 0;
  std::uint64_t steps = 0;

  double prefill_tokens_per_s() const;
  double decode_tokens_per_s() const;
};

/// A request with the sampling options of `options`.
Request make_request(const Options& options, std::vector<std::int32_t> prompt, int max_tokens);

/// Runs request `id`, the only one of the engine. Ctrl-C cancels it.
Generation generate(Engine& engine, RequestId id, std::size_t prompt_tokens,
                    const std::function<void(std::string_view)>& on_text);

}  // namespace deepinfer::cli
