#include "cli/safetensors_writer.h"

#include <bit>
#include <nlohmann/json.hpp>

namespace deepinfer::cli {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

void SafetensorsWriter::add(std::string name, std::vector<std::int64_t> shape,
                            std::span<const float> data) {
  entries_.push_back({std::move(name), "F32", std::move(shape), std::as_bytes(data)});
}

void SafetensorsWriter::add(std::string name, std::vector<std::int64_t> shape,
                            std::span<const std::int64_t> data) {
  entries_.push_back({std::move(name), "I64", std::move(shape), std::as_bytes(data)});
}

void SafetensorsWriter::write(OutputFile& file) const {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::size_t offset = 0;
  for (const Entry& entry : entries_) {
    const std::size_t end = offset + entry.data.size();
    header[entry.name] = {
        {"dtype", entry.dtype}, {"shape", entry.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  // The format pads its header with blanks to 8 bytes, so that data can be used where it lies.
  constexpr std::size_t kAlignment = 8;
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const std::uint64_t length = text.size();
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const Entry& entry : entries_) file.write(entry.data);
}

}  // namespace deepinfer::cli
