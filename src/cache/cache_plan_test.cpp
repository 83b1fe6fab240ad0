#include "cache/cache_plan.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

ModelConfig small_config() {
  ModelConfig config;
  config.num_hidden_layers = 2;
  config.head_dim = 64;
  config.index_head_dim = 32;
  config.sliding_window = 8;
  config.max_position_embeddings = 4096;
  config.compress_ratios = {0, 1};
  config.kv_source_layer_ids = {1};
  config.index_source_layer_ids = {1};
  return config;
}

constexpr std::int64_t kPlenty = std::int64_t{1} << 34;

std::string message_of(const Options& options, std::int64_t available) {
  try {
    plan_caches(small_config(), options, available);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PlanCaches, DefaultsHoldTheModelsLimitForEverySlot) {
  const CachePlan plan = plan_caches(small_config(), Options{}, kPlenty);
  EXPECT_EQ(plan.max_context, 4096);
  EXPECT_EQ(plan.geometry.blocks, 16 * 4096 / 64 + 1);
  EXPECT_EQ(plan.geometry.slots, 17);
  EXPECT_EQ(plan.geometry.max_step_rows, 128);
}

TEST(PlanCaches, LittleMemoryShortensTheContext) {
  Options options;
  options.kv_memory = 5 * CacheLayout::block_bytes(small_config(), 64);
  const CachePlan plan = plan_caches(small_config(), options, kPlenty);
  EXPECT_EQ(plan.geometry.blocks, 5);
  EXPECT_EQ(plan.max_context, 4 * 64);
}

TEST(PlanCaches, F8_memory_the_machine_cannot_hold_is_refused_with_both_numbers) {
  Options options;
  options.kv_memory = 1000000;
  EXPECT_EQ(message_of(options, 999999),
            "[--kv-memory] is more than this machine has free, expected at most 999999 bytes, got "
            "1000000");
}

TEST(PlanCaches, F8_a_state_buffer_the_machine_cannot_hold_is_refused_with_both_numbers) {
  Options options;
  options.kv_memory = 100000;
  EXPECT_NE(message_of(options, 200000)
                .find("[--max-batch] needs a state buffer larger than this "
                      "machine has free, expected at most 200000 bytes, got 17 slots"),
            std::string::npos);
}

TEST(PlanCaches, ContextBeyondTheBufferOrTheModelIsRefused) {
  Options options;
  options.kv_memory = 5 * CacheLayout::block_bytes(small_config(), 64);
  options.max_context = 257;
  EXPECT_NE(message_of(options, kPlenty).find("expected at most 256, got 257"), std::string::npos);
  options.max_context = 4097;
  EXPECT_NE(message_of(options, kPlenty).find("beyond the model's limit, expected at most 4096"),
            std::string::npos);
}

TEST(PlanCaches, MemoryForLessThanTwoBlocksIsRefused) {
  Options options;
  options.kv_memory = CacheLayout::block_bytes(small_config(), 64);
  EXPECT_NE(message_of(options, kPlenty).find("does not hold one block"), std::string::npos);
}

TEST(CachePlan, LayoutFollowsTheGraphModeUnlessAsked) {
  Options options;
  for (const GraphMode mode : {GraphMode::eager, GraphMode::whole}) {
    options.graph_mode = mode;
    EXPECT_EQ(layout_of(options), Layout::block_major);
  }
  options.graph_mode = GraphMode::regions;
  EXPECT_EQ(layout_of(options), Layout::layer_major);
  EXPECT_EQ(layout_of(options, {.whole_rows = true}), Layout::block_major);
  options.layout = Layout::block_major;
  EXPECT_EQ(layout_of(options), Layout::block_major);
  options.graph_mode = GraphMode::whole;
  options.layout = Layout::layer_major;
  EXPECT_EQ(layout_of(options), Layout::layer_major);
  EXPECT_EQ(layout_of(options, {.whole_rows = true}), Layout::layer_major) << "as asked";
}

}  // namespace
}  // namespace deepinfer
