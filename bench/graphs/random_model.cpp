#include "bench/graphs/random_model.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "checkpoint/dtype_names.h"
#include "checkpoint/tensor_names.h"
#include "deepinfer/checkpoint.h"
#include "deepinfer/error.h"

namespace deepinfer::bench {
namespace {

namespace fs = std::filesystem;

nlohmann::json small_config(const fs::path& released) {
  nlohmann::json config;
  std::ifstream(released / "config.json") >> config;
  nlohmann::json& text = config["text_config"];
  text["num_hidden_layers"] = 3;
  text["compress_ratios"] = {0, 2, 1, 0, 0, 0};
  text["kv_source_layer_ids"] = {1, 2};
  text["index_source_layer_ids"] = {1, 2};
  text["candidate_source_layer_id"] = 2;
  text["engram_layer_ids"] = nlohmann::json::array();
  text["engram_num_embeddings"] = nlohmann::json::array();
  text["dspark_target_layer_ids"] = {0, 1, 2};
  text["n_routed_experts"] = 24;
  text["vocab_size"] = 16384;
  config["image_token_id"] = 16000;
  text["dspark_noise_token_id"] = 16001;
  return config;
}

/// xorshift64*: fast enough to fill gigabytes.
class Random {
 public:
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717ULL;
  }

 private:
  std::uint64_t state_ = 88172645463325252ULL;
};

/// Bytes of one tensor that make plausible numbers: no NaN, of magnitude 2^-6 to 2.
std::vector<std::uint64_t> contents(const ExpectedTensor& tensor, std::size_t bytes,
                                    Random& random) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kSmallE4m3 = 0xbfbfbfbfbfbfbfbfULL;  // exponent below 8: no NaN, under 2
  constexpr std::uint64_t kSmallBf16 = 0x3c003c003c003c00ULL;  // 2^-7 …
  constexpr std::uint64_t kBf16Noise = 0x80ff80ff80ff80ffULL;  // … times a sign and a mantissa
  constexpr std::uint64_t kBf16One = 0x3f803f803f803f80ULL;
  constexpr std::uint64_t kSmallF32 = 0x3c0000003c000000ULL;
  constexpr std::uint64_t kF32Noise = 0x807fffff807fffffULL;
  std::vector<std::uint64_t> words((bytes + 7) / 8);
  const bool is_norm = tensor.name.find("norm") != std::string::npos;
  for (std::uint64_t& word : words) {
    switch (tensor.dtype()) {
      case DType::f8_e8m0:
        word = 121 * kOnes;  // 2^-6: with codes below 2 about 1/sqrt(width) in all
        break;
      case DType::f8_e4m3:
        word = random.next() & kSmallE4m3;
        break;
      case DType::bf16:
        word = is_norm ? kBf16One : kSmallBf16 | (random.next() & kBf16Noise);
        break;
      case DType::f32:
        word = kSmallF32 | (random.next() & kF32Noise);
        break;
      default:
        word = random.next();
    }
  }
  return words;
}

std::size_t bytes_of(const ExpectedTensor& tensor) {
  std::size_t bytes = size_of(tensor.dtype());
  for (const std::int64_t extent : tensor.shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

std::size_t write_tensors(const fs::path& file, const ModelConfig& config) {
  std::vector<ExpectedTensor> tensors;
  for (ExpectedTensor& tensor : expected_tensors(config))
    if (tensor.required) tensors.push_back(std::move(tensor));
  nlohmann::ordered_json header;
  std::size_t offset = 0;
  for (const ExpectedTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", disk_name_of(tensor.dtype())},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + bytes_of(tensor)}}};
    offset += bytes_of(tensor);
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  Random random;
  for (const ExpectedTensor& tensor : tensors) {
    const std::size_t bytes = bytes_of(tensor);
    const std::vector<std::uint64_t> words = contents(tensor, bytes, random);
    out.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(bytes));
  }
  out.flush();
  if (!out) throw Error::failed(file.string(), "cannot be written: is the disk full?");
  return offset;
}

}  // namespace

RandomModel::RandomModel(const fs::path& released, const fs::path& tokenizer) {
  std::string pattern = (fs::temp_directory_path() / "deepinfer-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error::failed(pattern, "cannot make a temporary directory");
  directory_ = pattern;
  try {
    std::ofstream(directory_ / "config.json") << small_config(released);
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
      if (fs::exists(tokenizer / name)) fs::copy(tokenizer / name, directory_ / name);
    bytes_ = write_tensors(directory_ / "model.safetensors", read_config(directory_.string()));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    throw;
  }
}

RandomModel::~RandomModel() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace deepinfer::bench
