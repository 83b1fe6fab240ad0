// check_checkpoint(): goes on after a fault, reports each once, touches nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoint/fixture_test.h"
#include "checkpoint/nan_scan.h"
#include "deepinfer/checkpoint.h"

namespace deepinfer {
namespace {

using nlohmann::json;
using testing::kIndexFile;
using testing::kSomeScale;
using testing::Shard;
using testing::TempCheckpoint;

using Lines = std::vector<std::string>;

Lines check(const TempCheckpoint& checkpoint, bool deep = false) {
  return check_checkpoint(checkpoint.directory(), {.deep = deep, .progress = {}});
}

bool mentions(const Lines& lines, const std::string& piece) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(piece) != std::string::npos;
  });
}

TEST(Check, F7_good_checkpoints_have_no_faults) {
  for (const char* directory : {"tests/data/t41", "tests/data/t41-odd", "tests/data/t41-saturated",
                                "tests/data/t41-draft", "models/DeepInfer-V4.1-tiny"}) {
    EXPECT_EQ(check_checkpoint(directory, {.deep = true, .progress = {}}), Lines{}) << directory;
  }
}

TEST(Check, F7_a_damaged_copy_has_a_line_per_fault) {
  const TempCheckpoint checkpoint;
  checkpoint.remove_from_shard(kSomeScale);
  checkpoint.resize("model-00009-of-00013.safetensors", 100);
  std::filesystem::remove(checkpoint.path("model-00013-of-00013.safetensors"));
  const Lines lines = check(checkpoint);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("[" + checkpoint.path("model-00009-of-00013.safetensors")));
  EXPECT_TRUE(lines[1].starts_with("[" + checkpoint.path("model-00013-of-00013.safetensors")));
  EXPECT_NE(lines[2].find(std::string("missing tensor '") + kSomeScale + "'"), std::string::npos);
}

TEST(Check, F7_every_tensor_beyond_a_cut_has_its_line) {
  const TempCheckpoint checkpoint;
  const std::string file = checkpoint.shard_of(kSomeScale);
  const Shard shard = checkpoint.shard(file);
  checkpoint.resize(file, checkpoint.size(file) - shard.data.size());
  const Lines lines = check(checkpoint);
  EXPECT_EQ(lines.size(), shard.header.size() - 1);  // all but __metadata__
  for (const std::string& line : lines) {
    EXPECT_NE(line.find("lies beyond the end of the file"), std::string::npos) << line;
  }
}

TEST(Check, F7_unknown_and_unlisted_tensors_are_faults) {
  const TempCheckpoint checkpoint;
  const std::string file = "model-00013-of-00013.safetensors";
  Shard shard = checkpoint.shard(file);
  shard.append("a.extra", "F32", {2}, std::string(8, '\0'));
  shard.append("b.extra", "F32", {2}, std::string(8, '\0'));
  checkpoint.add_to_index("b.extra", file);
  checkpoint.write_shard(file, shard);
  const Lines lines = check(checkpoint);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(mentions(lines, "tensor 'a.extra' is in the file but not in the index"));
  EXPECT_TRUE(mentions(lines, "unknown tensor 'b.extra'"));
}

TEST(Check, F7_a_scale_missing_from_the_index_is_one_fault) {
  const TempCheckpoint checkpoint;
  checkpoint.remove_from_index(kSomeScale);
  const Lines lines = check(checkpoint);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(mentions(lines, kSomeScale));
}

TEST(Check, F7_a_wrong_total_size_is_a_fault) {
  const TempCheckpoint checkpoint;
  json index = checkpoint.json_file(kIndexFile);
  index["metadata"]["total_size"] = index["metadata"]["total_size"].get<int>() + 1;
  checkpoint.write_json(kIndexFile, index);
  EXPECT_TRUE(mentions(check(checkpoint), "total_size is not the sum of the tensors"));
}

TEST(Check, F7_bytes_behind_the_last_tensor_are_named) {
  const TempCheckpoint checkpoint;
  const std::string file = "model-00003-of-00013.safetensors";
  checkpoint.resize(file, checkpoint.size(file) + 16);
  const Lines lines = check(checkpoint);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(mentions(lines, "16 bytes behind the last tensor"));
}

TEST(Check, faults_of_config_and_shards_are_both_seen) {
  const TempCheckpoint checkpoint;
  checkpoint.write("config.json", "{}");
  checkpoint.resize("model-00009-of-00013.safetensors", 0);
  const Lines lines = check(checkpoint);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(mentions(lines, "unsupported model_type ''"));
  EXPECT_TRUE(mentions(lines, "file is shorter"));
}

TEST(Check, a_directory_that_is_not_there_gives_lines_and_no_exception) {
  const Lines lines = check_checkpoint("tests/data/none", {});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(mentions(lines, "[tests/data/none] no model directory, expected a directory with"));
  EXPECT_TRUE(mentions(lines, "[tests/data/none] no weights found"));
}

TEST(Check, only_the_deep_check_sees_nan_codes) {
  const TempCheckpoint checkpoint;
  const std::string file = checkpoint.shard_of(kSomeScale);
  Shard shard = checkpoint.shard(file);
  const std::string weight = "layers.4.attn.wq_a.weight";
  const std::uint64_t scale_begin = shard.header[kSomeScale]["data_offsets"][0];
  const std::uint64_t weight_begin = shard.header[weight]["data_offsets"][0];
  shard.data[scale_begin + 2] = '\xff';
  shard.data[weight_begin + 5000] = '\x7f';
  shard.data[weight_begin + 5001] = '\xff';
  checkpoint.write_shard(file, shard);
  EXPECT_EQ(check(checkpoint), Lines{});
  const Lines lines = check(checkpoint, true);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "[" + checkpoint.path(file) + "] tensor '" + kSomeScale +
                          "' holds NaN codes, expected none in F8_E8M0 [2, 3], got 1, the first at "
                          "element 2");
  EXPECT_EQ(lines[1], "[" + checkpoint.path(file) + "] tensor '" + weight +
                          "' holds NaN codes, expected none in F8_E4M3 [64, 96], got 2, the first "
                          "at element 5000");
}

TEST(Check, the_deep_check_reports_its_progress_to_the_end) {
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  check_checkpoint(testing::kT41, {.deep = true, .progress = [&](auto done, auto total) {
                                     EXPECT_GE(done, last);
                                     last = done;
                                     all = total;
                                   }});
  EXPECT_GT(all, 1000000U);
  EXPECT_EQ(last, all);
}

TEST(Check, leaves_the_directory_as_it_was) {
  const TempCheckpoint checkpoint;
  for (const auto& file : std::filesystem::directory_iterator(checkpoint.directory())) {
    std::filesystem::permissions(file.path(), std::filesystem::perms::owner_read);
  }
  EXPECT_EQ(check(checkpoint, true), Lines{});
  for (const auto& file : std::filesystem::directory_iterator(testing::kT41)) {
    const std::string name = file.path().filename().string();
    EXPECT_EQ(testing::read_file(checkpoint.path(name)), testing::read_file(file.path().string()));
  }
}

TEST(NanScan, knows_every_nan_code_and_no_other) {
  for (int code = 0; code < 256; ++code) {
    const std::byte byte{static_cast<unsigned char>(code)};
    EXPECT_EQ(find_nan_codes(DType::f8_e4m3, {&byte, 1}).count,
              code == 0x7f || code == 0xff ? 1U : 0U);
    EXPECT_EQ(find_nan_codes(DType::f8_e8m0, {&byte, 1}).count, code == 255 ? 1U : 0U);
  }
  EXPECT_FALSE(has_nan_codes(DType::i8));
}

TEST(NanScan, finds_the_first_across_stretches) {
  std::vector<std::byte> data(10001);
  data[9999] = data[10000] = std::byte{0xff};
  EXPECT_EQ(find_nan_codes(DType::f8_e8m0, data).first, 9999U);
  EXPECT_EQ(find_nan_codes(DType::f8_e8m0, data).count, 2U);
  EXPECT_EQ(find_nan_codes(DType::f8_e8m0, {}).count, 0U);
}

}  // namespace
}  // namespace deepinfer
