#include "tools/slice/random_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "checkpoint/dtype_names.h"
#include "checkpoint/tensor_names.h"
#include "deepinfer/error.h"
#include "deepinfer/model_config.h"
#include "tools/slice/random_values.h"

namespace deepinfer {
namespace {

namespace fs = std::filesystem;
using Tensors = std::span<const ExpectedTensor>;

constexpr std::size_t kPieceWords = std::size_t{128} << 10;  // written at once: 1 MiB

std::size_t bytes_of(const ExpectedTensor& tensor) {
  std::size_t bytes = size_of(tensor.dtype());
  for (const std::int64_t extent : tensor.shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

void require_written(std::ofstream& out, const fs::path& file) {
  out.flush();
  if (!out) throw Error::failed(file.string(), "cannot be written: is the disk full?");
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  require_written(out, file);
}

/// The header, padded with blanks to 8 bytes so that data can be used where it lies.
std::string shard_header(Tensors tensors) {
  nlohmann::ordered_json header;
  std::size_t offset = 0;
  for (const ExpectedTensor& tensor : tensors) {
    const std::size_t end = offset + bytes_of(tensor);
    header[tensor.name] = {{"dtype", disk_name_of(tensor.dtype())},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

void write_shard(const fs::path& file, Tensors tensors, std::uint64_t seed) {
  std::ofstream out(file, std::ios::binary);
  const std::string header = shard_header(tensors);
  const std::uint64_t length = header.size();
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << header;
  std::vector<std::uint64_t> piece(kPieceWords);
  for (const ExpectedTensor& tensor : tensors) {
    RandomValues values(tensor, seed);
    std::size_t left = bytes_of(tensor);
    while (left > 0 && out) {
      const std::size_t bytes = std::min(left, 8 * kPieceWords);
      values.fill(std::span(piece).first((bytes + 7) / 8));
      out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(bytes));
      left -= bytes;
    }
  }
  require_written(out, file);
}

/// Consecutive tensors that share a shard.
std::vector<Tensors> shards_of(const std::vector<ExpectedTensor>& tensors, std::size_t limit) {
  std::vector<Tensors> shards;
  std::size_t first = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (i > first && bytes + bytes_of(tensors[i]) > limit) {
      shards.push_back(Tensors(tensors).subspan(first, i - first));
      first = i;
      bytes = 0;
    }
    bytes += bytes_of(tensors[i]);
  }
  shards.push_back(Tensors(tensors).subspan(first));
  return shards;
}

void require_empty(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error::failed(directory.string(), "cannot be made: " + error.message());
  if (!fs::is_empty(directory, error) || error)
    throw Error::bad_input(
        directory.string(), "is not empty",
        {.expected = "a new or empty directory", .got = "files in it", .hint = {}});
}

}  // namespace

std::uint64_t write_random_checkpoint(const fs::path& directory,
                                      const RandomCheckpoint& checkpoint) {
  const ModelConfig config = parse_config(checkpoint.config, "config.json");
  require_empty(directory);
  write_text(directory / "config.json", checkpoint.config);
  write_text(directory / "tokenizer.json", checkpoint.tokenizer);
  write_text(directory / "tokenizer_config.json", checkpoint.tokenizer_config);

  std::vector<ExpectedTensor> tensors = expected_tensors(config);
  std::erase_if(tensors, [](const ExpectedTensor& tensor) { return !tensor.required; });
  const std::vector<Tensors> shards = shards_of(tensors, checkpoint.shard_bytes);
  nlohmann::ordered_json places;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_shard(directory / name, shards[i], checkpoint.seed);
    for (const ExpectedTensor& tensor : shards[i]) {
      places[tensor.name] = name;
      total += bytes_of(tensor);
    }
  }
  const nlohmann::ordered_json index = {{"metadata", {{"total_size", total}}},
                                        {"weight_map", std::move(places)}};
  write_text(directory / "model.safetensors.index.json", index.dump(1) + "\n");
  return total;
}

}  // namespace deepinfer
