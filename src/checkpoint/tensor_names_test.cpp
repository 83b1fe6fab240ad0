#include "checkpoint/tensor_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "checkpoint/dtype_names.h"
#include "checkpoint/fixture_test.h"
#include "checkpoint/safetensors.h"

namespace deepinfer {
namespace {

const std::vector<ExpectedTensor>& released_tensors() {
  static const auto tensors =
      expected_tensors(parse_config(testing::released_config_text(), "config.json"));
  return tensors;
}

const ExpectedTensor* find(const std::vector<ExpectedTensor>& tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const auto& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::string describe(std::string_view name) {
  const ExpectedTensor* tensor = find(released_tensors(), name);
  return tensor == nullptr ? "absent" : dtype_shape_text(tensor->dtype(), tensor->shape);
}

TEST(TensorNames, reproduce_the_released_checkpoint_in_number_and_bytes) {
  std::map<DType, int> count;
  std::int64_t bytes = 0;
  for (const ExpectedTensor& tensor : released_tensors()) {
    ++count[tensor.dtype()];
    bytes += *element_count(tensor.shape) * static_cast<std::int64_t>(size_of(tensor.dtype()));
  }
  EXPECT_EQ(released_tensors().size(), 93418U);
  EXPECT_EQ(bytes, 501382611408);
  EXPECT_EQ(count[DType::bf16], 234);
  EXPECT_EQ(count[DType::f32], 360);
  EXPECT_EQ(count[DType::f8_e4m3], 332);
  EXPECT_EQ(count[DType::f8_e8m0], 46412);
  EXPECT_EQ(count[DType::i8], 46080);
}

TEST(TensorNames, reproduce_the_tensors_of_each_kind_of_layer) {
  std::map<int, int> per_layer;
  for (const ExpectedTensor& tensor : released_tensors()) {
    if (tensor.name.starts_with("layers.")) ++per_layer[std::stoi(tensor.name.substr(7))];
  }
  ASSERT_EQ(per_layer.size(), 40U);
  for (const int layer : {0, 3, 13, 19, 21, 39}) EXPECT_EQ(per_layer[layer], 2334) << layer;
  for (const int layer : {2, 8}) EXPECT_EQ(per_layer[layer], 2342) << layer;
  for (const int layer : {24, 28, 32, 36}) EXPECT_EQ(per_layer[layer], 2337) << layer;
  EXPECT_EQ(per_layer[20], 2341);
  EXPECT_EQ(per_layer[1], 2340);
  EXPECT_EQ(per_layer[14], 2348);
}

TEST(TensorNames, have_the_released_shapes) {
  EXPECT_EQ(describe("embed.weight"), "BF16 [129280, 5120]");
  EXPECT_EQ(describe("layers.0.hc_attn_fn"), "F32 [24, 20480]");
  EXPECT_EQ(describe("layers.0.attn.wq_b.scale"), "F8_E8M0 [1024, 40]");
  EXPECT_EQ(describe("layers.39.attn.wo_a.weight"), "F8_E4M3 [8192, 4096]");
  EXPECT_EQ(describe("layers.39.attn.wo_b.scale"), "F8_E8M0 [160, 256]");
  EXPECT_EQ(describe("layers.5.ffn.experts.383.w1.weight"), "I8 [2304, 2560]");
  EXPECT_EQ(describe("layers.5.ffn.experts.383.w2.scale"), "F8_E8M0 [5120, 72]");
  EXPECT_EQ(describe("layers.20.attn.compressor.wgate.weight"), "absent");
  EXPECT_EQ(describe("layers.14.attn.compressor.wgate.weight"), "BF16 [512, 5120]");
  EXPECT_EQ(describe("layers.24.attn.indexer.wq_b.weight"), "F8_E4M3 [4096, 1280]");
  EXPECT_EQ(describe("layers.24.attn.indexer.wk.weight"), "absent");
  EXPECT_EQ(describe("layers.1.engram.embed.scale"), "F8_E8M0 [384006168, 8]");
  EXPECT_EQ(describe("layers.14.engram.wkv.weight"), "F8_E4M3 [25600, 6144]");
}

TEST(TensorNames, are_those_of_the_tiny_checkpoints) {
  for (const std::string directory : {"tests/data/t41", "tests/data/t41-odd",
                                      "models/DeepInfer-V4.1-tiny", "tests/data/t41-draft"}) {
    const auto expected = expected_tensors(read_config(directory));
    std::size_t found = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory)) {
      if (file.path().extension() != ".safetensors") continue;
      const SafetensorsFile shard = SafetensorsFile::open(file.path().string());
      for (const StoredTensor& tensor : shard.tensors()) {
        const ExpectedTensor* wanted = find(expected, tensor.name);
        if (wanted == nullptr) {
          EXPECT_TRUE(is_ignored_tensor(tensor.name)) << tensor.name;
          continue;
        }
        ++found;
        EXPECT_EQ(dtype_shape_text(tensor.dtype, tensor.shape),
                  dtype_shape_text(wanted->dtype(), wanted->shape))
            << tensor.name;
      }
    }
    EXPECT_EQ(found, expected.size()) << directory;
  }
}

TEST(TensorNames, are_in_order_and_distinct) {
  EXPECT_TRUE(std::is_sorted(released_tensors().begin(), released_tensors().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_EQ(std::adjacent_find(released_tensors().begin(), released_tensors().end(),
                               [](const auto& a, const auto& b) { return a.name == b.name; }),
            released_tensors().end());
}

TEST(TensorNames, without_quantisation_weights_are_whole_and_have_no_scales) {
  ModelConfig config = read_config("tests/data/t41");
  config.quantized = false;
  const auto tensors = expected_tensors(config);
  for (const ExpectedTensor& tensor : tensors) {
    EXPECT_FALSE(tensor.name.ends_with(".scale")) << tensor.name;
    EXPECT_EQ(tensor.dtypes.size(), 3U) << tensor.name;
  }
  EXPECT_EQ(find(tensors, "layers.0.ffn.experts.0.w1.weight")->shape,
            (std::vector<std::int64_t>{64, 96}));
}

TEST(TensorNames, only_the_image_bias_may_be_absent) {
  for (const ExpectedTensor& tensor : released_tensors()) {
    EXPECT_EQ(tensor.required, !tensor.name.ends_with(".ffn.gate.bias_vl")) << tensor.name;
  }
}

TEST(TensorNames, the_ignored_groups_are_draft_and_vision) {
  for (const char* name :
       {"mtp.0.attn.wq_a.weight", "vision.norm.weight", "aligner.w1.bias", "image_start",
        "image_end", "image_newline", "layers.3.ffn.gate.bias_vl"}) {
    EXPECT_TRUE(is_ignored_tensor(name)) << name;
  }
  for (const char* name : {"image_startx", "layers.3.ffn.gate.bias", "xmtp.0", "norm.weight"}) {
    EXPECT_FALSE(is_ignored_tensor(name)) << name;
  }
}

}  // namespace
}  // namespace deepinfer
