// tools/slice: random checkpoints of any shape.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/temporary_folder_test.h"
#include "deepinfer/checkpoint.h"
#include "deepinfer/error.h"
#include "deepinfer/tokenizer.h"
#include "tools/slice/random_checkpoint.h"
#include "tools/slice/slice_config.h"

namespace deepinfer {
namespace {

constexpr const char* kTinyModel = "models/DeepInfer-V4.1-tiny/";

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

RandomCheckpoint tiny_random(std::uint64_t seed) {
  return {.config = text_of(kTinyModel + std::string("config.json")),
          .tokenizer = text_of(kTinyModel + std::string("tokenizer.json")),
          .tokenizer_config = "{}",
          .seed = seed,
          .shard_bytes = std::size_t{1} << 20};
}

TEST(RandomCheckpoint, PassesTheDeepCheck) {
  const TemporaryFolder folder;
  const std::uint64_t bytes = write_random_checkpoint(folder.path(), tiny_random(7));
  EXPECT_EQ(check_checkpoint(folder.path().string(), {.deep = true, .progress = {}}),
            std::vector<std::string>{});
  const auto checkpoint = Checkpoint::open(folder.path().string());
  EXPECT_TRUE(checkpoint->warnings().empty());
  std::uint64_t stored = 0;
  for (const StoredTensor& tensor : checkpoint->tensors()) stored += tensor.data.size();
  EXPECT_EQ(stored, bytes);
  EXPECT_NE(checkpoint->tensors().front().file, checkpoint->tensors().back().file);
}

TEST(RandomCheckpoint, DependsOnTheSeedAlone) {
  const TemporaryFolder one;
  const TemporaryFolder same;
  const TemporaryFolder other;
  RandomCheckpoint cut = tiny_random(7);
  cut.shard_bytes = std::size_t{1} << 30;
  write_random_checkpoint(one.path(), tiny_random(7));
  write_random_checkpoint(same.path(), cut);
  write_random_checkpoint(other.path(), tiny_random(8));
  const auto a = Checkpoint::open(one.path().string());
  const auto b = Checkpoint::open(same.path().string());
  const auto c = Checkpoint::open(other.path().string());
  for (const StoredTensor& tensor : a->tensors())
    EXPECT_TRUE(std::ranges::equal(tensor.data, b->tensor(tensor.name).data)) << tensor.name;
  const std::string head = "head.weight";
  EXPECT_FALSE(std::ranges::equal(a->tensor(head).data, c->tensor(head).data));
}

TEST(RandomCheckpoint, RefusesAFolderWithFiles) {
  const TemporaryFolder folder;
  folder.write("mine", "precious");
  EXPECT_THROW(write_random_checkpoint(folder.path(), tiny_random(7)), Error);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "config.json"));
}

TEST(SliceConfig, HasEveryRoleAtReleasedWidths) {
  const std::string released = text_of("tests/data/released/config.json");
  const ModelConfig full = parse_config(released, "released");
  const std::string tokenizer =
      whole_vocabulary(text_of(kTinyModel + std::string("tokenizer.json")), released);
  const ModelConfig config = parse_config(slice_config(released, tokenizer), "slice");
  EXPECT_EQ(config.hidden_size, full.hidden_size);
  EXPECT_EQ(config.moe_intermediate_size, full.moe_intermediate_size);
  EXPECT_EQ(config.vocab_size, full.vocab_size);
  EXPECT_EQ(config.num_experts_per_tok, full.num_experts_per_tok);
  EXPECT_EQ(config.n_routed_experts, 32);
  EXPECT_EQ(config.ratio(0), 0);
  EXPECT_EQ(config.engram_index(1), 0);
  EXPECT_TRUE(config.is_kv_source(1));
  EXPECT_FALSE(config.is_index_source(2));  // follows layer 1
  EXPECT_EQ(config.kv_source_of(2), 1);
  EXPECT_TRUE(config.is_kv_source(3));
  EXPECT_TRUE(config.is_index_source(4) && !config.is_kv_source(4));
  EXPECT_TRUE(config.uses_candidates(4));
  const auto words = Tokenizer::parse(tokenizer, "tokenizer.json");
  EXPECT_EQ(words->vocab_size(), full.vocab_size);
  EXPECT_EQ(words->decode({5000, 129279}), " w5000 w129279");
  EXPECT_EQ(parse_config(small_slice_config(released), "small").n_routed_experts, 24);
}

}  // namespace
}  // namespace deepinfer
