#include "tests/support/long_prompt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/process_memory.h"
#include "engine/start_memory.h"
#include "tests/support/edited_config.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {

LongPromptRun run_long_prompt(std::int64_t tokens, GraphMode mode) {
  const EditedConfig model(test_model("t41"), [](nlohmann::json& config) {
    config["text_config"]["max_position_embeddings"] = 1048576;
  });
  Options options = test_options("cpu");
  options.graph_mode = mode;
  options.max_batch = 2;
  options.prefill_bucket = 64;
  options.max_context = tokens;
  options.kv_memory = (tokens + 128) * 128;  // 106 bytes a token
  options.threads = 2;
  Runtime runtime(open_model(model.directory(), options.engram), options);
  LongPromptRun result;
  for (const MemoryPart& part : runtime.memory().parts)
    if (part.name == "arena") result.printed = part.bytes;
  for (const CaptureInfo& capture : runtime.runner().captures())
    result.arenas.push_back(capture.arena_bytes);

  const std::vector<std::int32_t> prompt = random_tokens(95, static_cast<std::size_t>(tokens));
  const GraphRunner& runner = runtime.runner();
  const auto replays = runner.replays(options.prefill_bucket);
  SequenceRun run(runtime, tokens);
  const std::int64_t before = anonymous_resident();
  const std::vector<float> logits = feed(run, runtime, prompt);
  result.growth = anonymous_resident() - before;
  EXPECT_TRUE(std::isfinite(logits.at(0)));
  EXPECT_EQ(runner.replays(options.prefill_bucket),
            replays + static_cast<std::uint64_t>(tokens / options.prefill_bucket));
  EXPECT_EQ(runner.eager_fallbacks(), 0U);
  return result;
}

void expect_same_arena(const LongPromptRun& longer, const LongPromptRun& shorter) {
  EXPECT_GT(shorter.printed, 0);
  EXPECT_EQ(longer.printed, shorter.printed);
  EXPECT_EQ(longer.arenas, shorter.arenas);
  // The tokens themselves, and no more: the scores of one step alone would be 2 MiB at 8k.
  constexpr std::int64_t kMostGrowth = std::int64_t{1} << 20;
  EXPECT_LE(longer.growth, kMostGrowth);
}

}  // namespace deepinfer
