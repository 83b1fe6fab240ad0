#include "checkpoint/safetensors.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "checkpoint/fixture_test.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

using testing::Shard;
using testing::TempCheckpoint;

/// Writes `header` (any text) and `data` as a file and returns the error of opening it.
class SafetensorsText : public ::testing::Test {
 protected:
  std::string error_for(const std::string& header, const std::string& data = std::string(16, 'x')) {
    const std::uint64_t length = header.size();
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, 8);
    return error_for_bytes(file + header + data);
  }
  std::string error_for_bytes(const std::string& bytes) {
    directory_.write("x.safetensors", bytes);
    std::string text =
        testing::error_of([&] { SafetensorsFile::open(directory_.path("x.safetensors")); });
    const std::string prefix = "[" + directory_.path("x.safetensors") + "] ";
    if (text.starts_with(prefix)) text = text.substr(prefix.size());
    return text;
  }

  TempCheckpoint directory_{""};
};

TEST(Safetensors, reads_golden_vectors) {
  const SafetensorsFile file = SafetensorsFile::open("tests/data/goldens/t41/goldens.safetensors");
  ASSERT_FALSE(file.tensors().empty());
  EXPECT_TRUE(file.warnings().empty());
  const StoredTensor* map = file.find("engram.token_map");
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->dtype, DType::i64);
  EXPECT_EQ(map->shape, std::vector<std::int64_t>{640});
  EXPECT_EQ(map->data.size(), 640U * 8);
  std::int64_t first[3];
  std::memcpy(first, map->data.data(), sizeof first);
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(first[2], 2);
  EXPECT_EQ(file.find("no.such.tensor"), nullptr);
  EXPECT_TRUE(std::is_sorted(file.tensors().begin(), file.tensors().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(Safetensors, data_is_the_bytes_at_the_stated_offset) {
  const std::string path = "tests/data/t41/model-00002-of-00013.safetensors";
  const SafetensorsFile file = SafetensorsFile::open(path);
  const std::string bytes = testing::read_file(path);
  for (const StoredTensor& tensor : file.tensors()) {
    EXPECT_EQ(tensor.file, "model-00002-of-00013.safetensors");
    ASSERT_EQ(
        std::memcmp(tensor.data.data(), bytes.data() + tensor.file_offset, tensor.data.size()), 0);
  }
}

TEST(Safetensors, tensors_stay_where_they_are_when_the_file_object_moves) {
  SafetensorsFile first = SafetensorsFile::open("tests/data/t41/model-00001-of-00013.safetensors");
  const std::byte* data = first.tensors()[0].data.data();
  const SafetensorsFile second = std::move(first);
  EXPECT_EQ(second.tensors()[0].data.data(), data);
  EXPECT_NO_THROW((void)std::to_integer<int>(data[0]));
}

TEST_F(SafetensorsText, accepts_scalars_empty_tensors_metadata_and_padding) {
  EXPECT_EQ(error_for(R"({"__metadata__":{"format":"pt","a":"b"},)"
                      R"("e":{"dtype":"F32","shape":[0,4],"data_offsets":[4,4]},)"
                      R"("s":{"dtype":"I32","shape":[],"data_offsets":[0,4]},)"
                      R"("t":{"data_offsets":[4,16],"shape":[3,2],"dtype":"BF16"}}   )"),
            "no error");
}

TEST_F(SafetensorsText, F4_bytes_behind_the_last_tensor_are_a_warning) {
  EXPECT_EQ(error_for(R"({"s":{"dtype":"I32","shape":[],"data_offsets":[0,4]}})", "1234abcdefgh"),
            "no error");
  const SafetensorsFile file = SafetensorsFile::open(directory_.path("x.safetensors"));
  ASSERT_EQ(file.warnings().size(), 1U);
  EXPECT_NE(file.warnings()[0].find("8 bytes behind the last tensor"), std::string::npos);
}

TEST_F(SafetensorsText, F4_offsets_the_format_does_not_foresee_are_refused) {
  const auto pair = [&](const std::string& a, const std::string& b) {
    return error_for(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":)" + a +
                     R"(},"b":{"dtype":"U8","shape":[8],"data_offsets":)" + b + "}}");
  };
  EXPECT_EQ(pair("[0,8]", "[8,16]"), "no error");
  EXPECT_EQ(pair("[8,16]", "[0,8]"), "no error");  // the order of names is free
  EXPECT_EQ(pair("[0,8]", "[4,12]"),
            "tensor 'b' overlaps tensor 'a', expected to begin at 8, got data_offsets [4, 12)");
  EXPECT_EQ(pair("[0,8]", "[0,8]"),
            "tensor 'b' overlaps tensor 'a', expected to begin at 8, got data_offsets [0, 8)");
  EXPECT_EQ(pair("[0,8]", "[9,17]"),
            "tensor 'b' leaves a hole in the data before it, expected to begin at 8, got "
            "data_offsets [9, 17)");
  EXPECT_EQ(pair("[1,9]", "[9,17]"),
            "tensor 'a' leaves a hole in the data before it, expected to begin at 0, got "
            "data_offsets [1, 9)");
  EXPECT_EQ(pair("[8,0]", "[8,16]"),
            "tensor 'a' has data_offsets that run backwards, expected begin <= end, got [8, 0)");
  EXPECT_EQ(pair("[-8,0]", "[0,8]"), "header: tensor 'a' has a negative number -8");
  EXPECT_EQ(pair("[0,8.0]", "[8,16]"),
            "header: tensor 'a' has a number that is no 64-bit integer: 8.0");
  EXPECT_EQ(pair("[0,18446744073709551616]", "[8,16]"),
            "header: tensor 'a' has a number that is no 64-bit integer: 18446744073709551616");
  EXPECT_EQ(pair("[0,7]", "[7,15]"),
            "tensor 'a' has data_offsets that do not fit its shape, expected 8 bytes for U8 [8], "
            "got 7 bytes at [0, 7)");
  EXPECT_EQ(pair("[0,8]", "[8,18446744073709551615]").substr(0, 56),
            "tensor 'b' has data_offsets that do not fit its shape, e");
  EXPECT_EQ(pair("[0]", "[8,16]"), "header: tensor 'a' must have two data_offsets");
  EXPECT_EQ(pair("[0,8,8]", "[8,16]"), "header: tensor 'a' must have two data_offsets");
}

TEST_F(SafetensorsText, F4_shapes_that_overflow_are_refused) {
  const auto shape = [&](const std::string& text) {
    return error_for(R"({"a":{"dtype":"F32","shape":)" + text + R"(,"data_offsets":[0,16]}})");
  };
  EXPECT_EQ(shape("[4]"), "no error");
  EXPECT_EQ(shape("[4611686018427387904,4]"),
            "tensor 'a' has a shape beyond 2^63 bytes, expected 16 bytes at [0, 16), got F32 "
            "[4611686018427387904, 4]");
  EXPECT_EQ(shape("[4611686018427387905]").substr(0, 39),
            "tensor 'a' has a shape beyond 2^63 byte");
  EXPECT_EQ(shape("[9223372036854775808]"),
            "header: tensor 'a' has an extent 9223372036854775808 beyond 2^63");
  EXPECT_EQ(shape("[-4]"), "header: tensor 'a' has a negative number -4");
  EXPECT_EQ(shape("[1,1,1,1,1,1,1,1,4]"), "header: tensor 'a' has more than 8 axes");
  EXPECT_EQ(shape("4"), "header: tensor 'a' has a number in a wrong place: 4");
  EXPECT_EQ(shape("[[4]]"), "header: tensor 'a' has an array in a wrong place");
}

TEST_F(SafetensorsText, F4_duplicate_names_are_refused) {
  EXPECT_EQ(error_for(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                      R"("a":{"dtype":"U8","shape":[8],"data_offsets":[8,16]}})"),
            "header: tensor 'a' appears twice");
  EXPECT_EQ(error_for(R"({"a":{"dtype":"U8","dtype":"I8","shape":[16],"data_offsets":[0,16]}})"),
            "header: tensor 'a' has field 'dtype' twice");
}

TEST_F(SafetensorsText, F4_header_lengths_above_the_file_are_refused) {
  std::string bytes(64, ' ');
  const auto with_length = [&](std::uint64_t length) {
    std::memcpy(bytes.data(), &length, 8);
    return error_for_bytes(bytes);
  };
  EXPECT_EQ(with_length(57),
            "header is longer than the file, expected a file of at least 65 bytes, got 64, the "
            "file is truncated");
  EXPECT_EQ(with_length(100'000'001).substr(0, 29), "header is too long to be one,");
  EXPECT_EQ(with_length(~std::uint64_t{0}).substr(0, 29), "header is too long to be one,");
  EXPECT_EQ(with_length(0).substr(0, 24), "header is not valid JSON");
  EXPECT_EQ(error_for_bytes(""),
            "file is shorter than the length of its header, expected at least 8 bytes, got 0, the "
            "file is truncated");
  EXPECT_EQ(error_for_bytes("1234567").substr(0, 29), "file is shorter than the leng");
}

TEST_F(SafetensorsText, F4_anything_but_entries_is_refused) {
  const std::string entry = R"("dtype":"U8","shape":[16],"data_offsets":[0,16])";
  EXPECT_EQ(error_for("[]"), "header: has an array in a wrong place");
  EXPECT_EQ(error_for("3"), "header: has a number in a wrong place: 3");
  EXPECT_EQ(error_for("null"), "header: has a null");
  EXPECT_EQ(error_for(R"({"a":"b"})"), "header: tensor 'a' has text in a wrong place: 'b'");
  EXPECT_EQ(error_for(R"({"a":{}})"), "header: tensor 'a' must have dtype, shape and data_offsets");
  EXPECT_EQ(error_for(R"({"a":{"dtype":"U8","shape":[16]}})"),
            "header: tensor 'a' must have dtype, shape and data_offsets");
  EXPECT_EQ(error_for("{\"a\":{" + entry + ",\"more\":1}}"),
            "header: tensor 'a' has an unknown field 'more'");
  EXPECT_EQ(error_for("{\"a\":{" + entry + "},\"__metadata__\":{\"k\":1}}"),
            "header: __metadata__ has a number in a wrong place: 1");
  EXPECT_EQ(error_for("{\"a\":{" + entry + "}").substr(0, 24), "header is not valid JSON");
  EXPECT_EQ(error_for("{\"a\xff\":{" + entry + "}}").substr(0, 24), "header is not valid JSON");
  EXPECT_EQ(error_for(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}})"),
            "tensor 'a' has an unknown dtype, expected F32, F16, BF16, F8_E4M3, F8_E8M0, U8, I8, "
            "I32 or I64, got 'F64'");
  EXPECT_EQ(error_for(std::string(1000000, '[')), "header: has an array in a wrong place");
}

TEST_F(SafetensorsText, F10_mutated_headers_never_crash) {
  const std::string original = TempCheckpoint().shard("model-00001-of-00013.safetensors").bytes();
  const std::size_t header = 8 + 296;
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = original.substr(0, header + random() % 4096);
    for (int edit = 0; edit < 2; ++edit) {
      bytes[random() % header] = static_cast<char>(random() % 256);
    }
    if (error_for_bytes(bytes) != "no error") ++refused;
  }
  EXPECT_GT(refused, 950);
}

TEST(Safetensors, a_path_that_is_no_file_is_an_error_with_its_name) {
  const TempCheckpoint directory("");
  EXPECT_EQ(
      testing::error_of([&] { SafetensorsFile::open(directory.path("none")); }),
      "[" + directory.path("none") +
          "] cannot open the file, expected a readable file, got No such file or directory, a "
          "model directory holds config.json, tokenizer.json and the weights");
  EXPECT_EQ(testing::error_of([&] { SafetensorsFile::open(directory.directory()); }),
            "[" + directory.directory() +
                "] not a regular file, expected a regular file, got a directory");
}

/// Pages of a mapping that are in memory.
std::size_t resident_pages(std::span<const std::byte> data) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(data.data()) + data.size();
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  EXPECT_EQ(::mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()), 0);
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1U) != 0; }));
}

TEST(Safetensors, opening_a_20_gb_file_reads_its_header_only) {
  const TempCheckpoint directory("");
  constexpr std::uint64_t kBytes = std::uint64_t{20} << 30;
  Shard shard;
  shard.header["big"] = {{"dtype", "U8"}, {"shape", {kBytes}}, {"data_offsets", {0, kBytes}}};
  directory.write_shard("big.safetensors", shard);
  directory.resize("big.safetensors", directory.size("big.safetensors") + kBytes);

  const auto start = std::chrono::steady_clock::now();
  const SafetensorsFile file = SafetensorsFile::open(directory.path("big.safetensors"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  ASSERT_EQ(file.tensors().size(), 1U);
  EXPECT_EQ(file.tensors()[0].data.size(), kBytes);
  // The kernel may read ahead of the header by a few pages; 16 MB would be far more than that.
  EXPECT_LT(resident_pages(file.tensors()[0].data), 4096U);
}

}  // namespace
}  // namespace deepinfer
