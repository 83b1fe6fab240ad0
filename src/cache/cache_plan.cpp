#include "cache/cache_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

// Default share of free memory for the KV buffer, and its ceiling (interface: --kv-memory).
constexpr std::int64_t kDefaultShare = 4;
constexpr std::int64_t kDefaultCeiling = std::int64_t{4} << 30;

std::int64_t kv_memory(const Options& options, std::int64_t available) {
  if (options.kv_memory == 0) return std::min(available / kDefaultShare, kDefaultCeiling);
  if (options.kv_memory > available)
    throw Error::bad_input("--kv-memory", "is more than this machine has free",
                           {.expected = fmt::format("at most {} bytes", available),
                            .got = std::to_string(options.kv_memory),
                            .hint = {}});
  return options.kv_memory;
}

std::int64_t blocks_for(std::int64_t tokens, int block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

}  // namespace

int max_step_rows(const Options& options) {
  return std::max(options.max_batch, options.prefill_bucket);
}

Layout layout_of(const Options& options, const CacheNeeds& needs) {
  if (options.layout.has_value()) return *options.layout;
  return options.graph_mode == GraphMode::regions && !needs.whole_rows ? Layout::layer_major
                                                                       : Layout::block_major;
}

CachePlan plan_caches(const ModelConfig& config, const Options& options, std::int64_t available,
                      const CacheNeeds& needs) {
  const int block_tokens = options.block_tokens;
  const std::int64_t memory = kv_memory(options, available);
  // A model without compressed layers keeps nothing in blocks; its context is bounded all the same.
  const std::int64_t block_bytes =
      std::max<std::int64_t>(CacheLayout::block_bytes(config, block_tokens), 1);
  const std::int64_t affordable = memory / block_bytes - 1;  // one block is scratch
  if (affordable < 1)
    throw Error::bad_input("--kv-memory", "does not hold one block and the scratch block",
                           {.expected = fmt::format("at least {} bytes", 2 * block_bytes),
                            .got = std::to_string(memory),
                            .hint = "raise --kv-memory or lower --block-tokens"});

  const std::int64_t model_limit = config.max_position_embeddings;
  if (options.max_context > model_limit)
    throw Error::bad_input("--max-context", "is beyond the model's limit",
                           {.expected = fmt::format("at most {}", model_limit),
                            .got = std::to_string(options.max_context),
                            .hint = {}});
  const std::int64_t held =
      affordable > model_limit / block_tokens ? model_limit : affordable * block_tokens;
  if (options.max_context > held)
    throw Error::bad_input(
        "--max-context", "is beyond what the KV buffer holds",
        {.expected = fmt::format("at most {}", held),
         .got = std::to_string(options.max_context),
         .hint = fmt::format("{} bytes of --kv-memory would do",
                             (blocks_for(options.max_context, block_tokens) + 1) * block_bytes)});
  const std::int64_t max_context =
      options.max_context > 0 ? options.max_context : std::min(held, model_limit);

  const std::int64_t slots = options.max_batch + 1;
  const std::int64_t state = CacheLayout::slot_bytes(config, max_step_rows(options));
  if (state > available / slots)
    throw Error::bad_input("--max-batch", "needs a state buffer larger than this machine has free",
                           {.expected = fmt::format("at most {} bytes", available),
                            .got = fmt::format("{} slots of {} bytes", slots, state),
                            .hint = "lower --max-batch or --prefill-bucket"});

  // More blocks than all slots can fill would never be used.
  const std::int64_t useful = options.max_batch * blocks_for(max_context, block_tokens);
  return {.geometry = {.block_tokens = block_tokens,
                       .blocks = std::min(affordable, useful) + 1,
                       .slots = options.max_batch + 1,
                       .max_step_rows = max_step_rows(options),
                       .layout = layout_of(options, needs),
                       .typed_roots = needs.typed_roots},
          .max_context = max_context};
}

}  // namespace deepinfer
