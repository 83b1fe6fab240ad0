// Checkpoint::open() on good directories and on damaged copies.

#include "deepinfer/checkpoint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "checkpoint/fixture_test.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

using nlohmann::json;
using testing::kIndexFile;
using testing::kSomeScale;
using testing::Shard;
using testing::TempCheckpoint;

std::string open_error(const TempCheckpoint& checkpoint) {
  return testing::error_of([&] { Checkpoint::open(checkpoint.directory()); });
}

/// Expects an error that contains every piece.
void expect_error(const TempCheckpoint& checkpoint, const std::vector<std::string>& pieces) {
  const std::string message = open_error(checkpoint);
  for (const std::string& piece : pieces) {
    EXPECT_NE(message.find(piece), std::string::npos) << "no '" << piece << "' in: " << message;
  }
}

TEST(Checkpoint, opens_the_checkpoints_of_the_tree_without_warnings) {
  for (const char* directory : {"tests/data/t41", "tests/data/t41-odd", "tests/data/t41-saturated",
                                "tests/data/t41-draft", "models/DeepInfer-V4.1-tiny"}) {
    const auto checkpoint = Checkpoint::open(directory);
    EXPECT_TRUE(checkpoint->warnings().empty()) << directory;
    EXPECT_EQ(checkpoint->directory(), directory);
    EXPECT_FALSE(checkpoint->tensors().empty());
  }
}

TEST(Checkpoint, gives_tensors_by_name) {
  const auto checkpoint = Checkpoint::open(testing::kT41);
  EXPECT_EQ(checkpoint->tensors().size(), 1294U);
  EXPECT_EQ(checkpoint->config().hidden_size, 96);
  EXPECT_TRUE(checkpoint->has(kSomeScale));
  EXPECT_FALSE(checkpoint->has("layers.4.attn.wq_a"));
  const StoredTensor& scale = checkpoint->tensor(kSomeScale);
  EXPECT_EQ(scale.dtype, DType::f8_e8m0);
  EXPECT_EQ(scale.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(scale.data.size(), 6U);
  EXPECT_EQ(testing::error_of([&] { checkpoint->tensor("nope"); }),
            "[tests/data/t41] no tensor 'nope'");
}

TEST(Checkpoint, draft_and_vision_tensors_are_there_to_be_seen) {
  const auto checkpoint = Checkpoint::open("tests/data/t41-draft");
  EXPECT_TRUE(checkpoint->has("mtp.2.norm.weight"));
  EXPECT_TRUE(checkpoint->has("image_start"));
  EXPECT_TRUE(checkpoint->has("layers.0.ffn.gate.bias_vl"));
}

TEST(Checkpoint, opens_a_single_file_without_an_index) {
  TempCheckpoint checkpoint;
  Shard all;
  for (const auto& file : std::filesystem::directory_iterator(testing::kT41)) {
    if (file.path().extension() != ".safetensors") continue;
    const Shard shard = checkpoint.shard(file.path().filename().string());
    for (const auto& [name, entry] : shard.header.items()) {
      if (name == "__metadata__") continue;
      const std::uint64_t begin = entry["data_offsets"][0];
      const std::uint64_t end = entry["data_offsets"][1];
      all.append(name, entry["dtype"], entry["shape"], shard.data.substr(begin, end - begin));
    }
    std::filesystem::remove(checkpoint.path(file.path().filename().string()));
  }
  std::filesystem::remove(checkpoint.path(kIndexFile));
  expect_error(checkpoint, {"[" + checkpoint.directory() + "] no weights found",
                            "model.safetensors.index.json or model.safetensors"});
  checkpoint.write_shard("model.safetensors", all);
  EXPECT_EQ(Checkpoint::open(checkpoint.directory())->tensors().size(), 1294U);

  all.header.erase(all.header.find("norm.weight"));
  checkpoint.write_shard("model.safetensors", all);
  expect_error(checkpoint, {"leaves a hole"});
}

TEST(Checkpoint, F1_truncated_shard_is_refused) {
  const std::string file = "model-00007-of-00013.safetensors";
  const std::uint64_t size = TempCheckpoint().size(file);
  const std::uint64_t header = size - TempCheckpoint().shard(file).data.size();
  for (const std::uint64_t kept : {size - 1, size - 4096, size / 2, header}) {
    const TempCheckpoint checkpoint;
    checkpoint.resize(file, kept);
    expect_error(checkpoint,
                 {"[" + checkpoint.path(file) + "] tensor '", "' lies beyond the end of the file",
                  "expected a file of " + std::to_string(size) + " bytes",
                  "got " + std::to_string(kept) + " bytes"});
  }
  for (const std::uint64_t kept : {header - 1, std::uint64_t{8}}) {
    const TempCheckpoint checkpoint;
    checkpoint.resize(file, kept);
    expect_error(checkpoint, {"[" + checkpoint.path(file) + "] header is longer than the file",
                              "expected a file of at least " + std::to_string(header) + " bytes",
                              "got " + std::to_string(kept)});
  }
  const TempCheckpoint checkpoint;
  checkpoint.resize(file, 0);
  expect_error(checkpoint, {"[" + checkpoint.path(file) + "] file is shorter", "got 0"});
}

TEST(Checkpoint, F3_a_tensor_missing_from_the_index_is_refused_by_name) {
  const TempCheckpoint checkpoint;
  checkpoint.remove_from_index(kSomeScale);
  expect_error(checkpoint,
               {std::string("tensor '") + kSomeScale + "' is in the file but not in the index"});
}

TEST(Checkpoint, F3_a_tensor_missing_from_its_file_is_refused_by_name) {
  const TempCheckpoint checkpoint;
  const std::string file = checkpoint.shard_of(kSomeScale);
  checkpoint.remove_from_shard(kSomeScale);
  expect_error(checkpoint,
               {"[" + checkpoint.path(file) + "] missing tensor '" + kSomeScale + "'", kIndexFile});
}

TEST(Checkpoint, F3_a_tensor_missing_from_both_is_refused_by_name) {
  for (const std::string name : {kSomeScale, "norm.weight", "layers.9.ffn.experts.15.w2.weight",
                                 "layers.0.hc_ffn_scale", "layers.5.engram.embed.scale"}) {
    const TempCheckpoint checkpoint;
    checkpoint.remove_from_shard(name);
    checkpoint.remove_from_index(name);
    expect_error(checkpoint, {checkpoint.path(kIndexFile), "missing tensor '" + name + "'"});
  }
}

TEST(Checkpoint, F3_tensors_nobody_asked_for_are_one_warning_with_their_number) {
  const TempCheckpoint checkpoint;
  const std::string file = "model-00013-of-00013.safetensors";
  Shard shard = checkpoint.shard(file);
  for (const std::string name : {"b.extra", "a.extra", "layers.77.attn_norm.weight"}) {
    shard.append(name, "F32", {2}, std::string(8, '\0'));
    if (name != "b.extra") checkpoint.add_to_index(name, file);
  }
  shard.append("mtp.0.extra", "F32", {2}, std::string(8, '\0'));  // of an ignored group: no word
  checkpoint.write_shard(file, shard);
  const auto opened = Checkpoint::open(checkpoint.directory());
  ASSERT_EQ(opened->warnings().size(), 1U);
  EXPECT_EQ(opened->warnings()[0],
            "[" + checkpoint.directory() +
                "] 3 tensors that the model has no use for, the first is 'a.extra'");
}

TEST(Checkpoint, F4_bytes_behind_the_last_tensor_load_with_a_warning) {
  const TempCheckpoint checkpoint;
  const std::string file = "model-00003-of-00013.safetensors";
  checkpoint.resize(file, checkpoint.size(file) + 16);
  const auto opened = Checkpoint::open(checkpoint.directory());
  ASSERT_EQ(opened->warnings().size(), 1U);
  EXPECT_EQ(opened->warnings()[0],
            "[" + checkpoint.path(file) + "] 16 bytes behind the last tensor are ignored");
}

TEST(Checkpoint, a_wrong_total_size_loads_with_a_warning) {
  const TempCheckpoint checkpoint;
  json index = checkpoint.json_file(kIndexFile);
  const auto total = index["metadata"]["total_size"].get<int>();
  index["metadata"]["total_size"] = total + 1;
  checkpoint.write_json(kIndexFile, index);
  const auto opened = Checkpoint::open(checkpoint.directory());
  ASSERT_EQ(opened->warnings().size(), 1U);
  EXPECT_EQ(opened->warnings()[0], "[" + checkpoint.path(kIndexFile) +
                                       "] total_size is not the sum of the tensors, expected " +
                                       std::to_string(total) + ", got " +
                                       std::to_string(total + 1));
}

TEST(Checkpoint, a_path_that_is_no_directory_is_said_to_be_none) {
  const TempCheckpoint checkpoint;
  const auto error_of = [](const std::string& path) {
    try {
      Checkpoint::open(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(checkpoint.path("none")),
            "[" + checkpoint.path("none") +
                "] no model directory, expected a directory with config.json, tokenizer.json and "
                "the weights, got No such file or directory, a relative path starts at the working "
                "directory");
  EXPECT_EQ(error_of(checkpoint.path("config.json")),
            "[" + checkpoint.path("config.json") +
                "] no model directory, expected a directory with config.json, tokenizer.json and "
                "the weights, got a file, name the directory that holds it");
}

TEST(Checkpoint, F4_overlapping_tensors_are_refused) {
  const TempCheckpoint checkpoint;
  const std::string file = checkpoint.shard_of(kSomeScale);
  Shard shard = checkpoint.shard(file);
  for (auto& offset : shard.header[kSomeScale]["data_offsets"]) offset = offset.get<int>() - 1;
  checkpoint.write_shard(file, shard);
  expect_error(checkpoint, {checkpoint.path(file), kSomeScale, "overlaps tensor"});
}

TEST(Checkpoint, a_missing_shard_is_refused_by_name) {
  const TempCheckpoint checkpoint;
  std::filesystem::remove(checkpoint.path("model-00009-of-00013.safetensors"));
  expect_error(checkpoint, {"[" + checkpoint.path("model-00009-of-00013.safetensors") +
                            "] cannot open the file, expected a readable file, got No such file"});
}

TEST(Checkpoint, wrong_types_and_shapes_are_refused_with_both) {
  const TempCheckpoint checkpoint;
  const std::string name = "layers.2.attn.attn_sink";
  const std::string file = checkpoint.shard_of(name);
  const Shard original = checkpoint.shard(file);
  Shard shard = original;
  shard.header[name]["dtype"] = "I32";
  checkpoint.write_shard(file, shard);
  expect_error(checkpoint, {"[" + checkpoint.path(file) + "] tensor '" + name +
                            "' has the wrong type or shape, expected F32 [4], got I32 [4]"});
  shard = original;
  shard.header[name]["shape"] = {2, 2};
  checkpoint.write_shard(file, shard);
  expect_error(checkpoint, {"has the wrong shape, expected F32 [4], got F32 [2, 2]"});
}

TEST(Checkpoint, raw_bytes_labelled_U8_are_used_as_what_they_are) {
  const TempCheckpoint checkpoint;
  const std::string expert = "layers.4.ffn.experts.0.w1.weight";
  const std::string file = checkpoint.shard_of(expert);
  Shard shard = checkpoint.shard(file);
  for (auto& [name, entry] : shard.header.items()) {
    if (name == "__metadata__") continue;
    if (entry["dtype"] == "I8" || entry["dtype"] == "F8_E8M0") entry["dtype"] = "U8";
  }
  checkpoint.write_shard(file, shard);
  const auto opened = Checkpoint::open(checkpoint.directory());
  EXPECT_EQ(opened->tensor(expert).dtype, DType::i8);
  EXPECT_EQ(opened->tensor(kSomeScale).dtype, DType::f8_e8m0);

  shard.header["layers.4.attn.wq_a.weight"]["dtype"] = "U8";
  checkpoint.write_shard(file, shard);
  expect_error(checkpoint, {"layers.4.attn.wq_a.weight", "expected F8_E4M3", "got U8"});
}

TEST(Checkpoint, without_quantization_config_weights_must_be_plain) {
  const TempCheckpoint checkpoint;
  json config = checkpoint.json_file("config.json");
  config.erase("quantization_config");
  checkpoint.write_json("config.json", config);
  expect_error(checkpoint, {"has the wrong type", "expected BF16 or F16 or F32"});
}

TEST(Checkpoint, index_names_stay_inside_the_directory) {
  for (const std::string file :
       {"../t41/model-00001-of-00013.safetensors", "a/b", "/absolute", "..", ".", "", "a\\b"}) {
    const TempCheckpoint checkpoint;
    checkpoint.add_to_index("norm.weight", file);
    expect_error(checkpoint,
                 {"[" + checkpoint.path(kIndexFile) +
                      "] index names a file outside the checkpoint for tensor 'norm.weight'",
                  "'" + file + "'"});
  }
}

TEST(Checkpoint, a_tensor_in_another_file_than_the_index_says_is_refused) {
  const TempCheckpoint checkpoint;
  checkpoint.add_to_index("norm.weight", "model-00002-of-00013.safetensors");
  expect_error(checkpoint, {"tensor 'norm.weight'", "in another file than the index says",
                            "expected model-00002-of-00013.safetensors"});
}

TEST(Checkpoint, F10_index_text_is_not_trusted) {
  const TempCheckpoint checkpoint;
  for (const std::string text :
       {"", "[]", "3", "\"x\"", "null", "{}", R"({"weight_map":3})", R"({"weight_map":[]})",
        R"({"weight_map":{"a":1}})", R"({"weight_map":{"a":{}}})", R"({"weight_map":{"a":[]}})",
        R"({"weight_map":{},"weight_map":{}})", R"({"weight_map":"x"})",
        R"({"weight_map":{"a":"x","a":"y"}})", R"({"weight_map":{"a":1e400}})",
        R"({"metadata":{"total_size":-1},"weight_map":{)"}) {
    checkpoint.write(kIndexFile, text);
    EXPECT_TRUE(open_error(checkpoint).starts_with("[" + checkpoint.path(kIndexFile) + "] index "))
        << text << " gave " << open_error(checkpoint);
  }
  checkpoint.write(kIndexFile, std::string(1000000, '['));
  EXPECT_TRUE(open_error(checkpoint).starts_with("[" + checkpoint.path(kIndexFile) + "] index "));
  checkpoint.write(kIndexFile, R"({"metadata":{"x":[{"y":[1.5,true,null,"z"]}]},"weight_map":{}})");
  expect_error(checkpoint, {"missing tensor 'embed.weight'"});
}

TEST(Checkpoint, F9_an_unknown_model_is_refused_with_the_known_type) {
  const TempCheckpoint checkpoint;
  json config = checkpoint.json_file("config.json");
  config["model_type"] = "deepseek_v4";
  checkpoint.write_json("config.json", config);
  EXPECT_EQ(
      open_error(checkpoint),
      "[" + checkpoint.path("config.json") +
          "] deepseek_v41 config: unsupported model_type 'deepseek_v4', expected deepseek_v41");
}

TEST(Checkpoint, opening_does_not_read_weights) {
  const TempCheckpoint checkpoint;
  constexpr std::uint64_t kBytes = std::uint64_t{20} << 30;
  Shard shard;
  shard.header["mtp.big"] = {{"dtype", "U8"}, {"shape", {kBytes}}, {"data_offsets", {0, kBytes}}};
  checkpoint.write_shard("big.safetensors", shard);
  checkpoint.resize("big.safetensors", checkpoint.size("big.safetensors") + kBytes);
  checkpoint.add_to_index("mtp.big", "big.safetensors");
  const auto start = std::chrono::steady_clock::now();
  const auto opened = Checkpoint::open(checkpoint.directory());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(opened->tensor("mtp.big").data.size(), kBytes);
}

}  // namespace
}  // namespace deepinfer
