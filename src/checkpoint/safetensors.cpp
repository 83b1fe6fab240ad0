#include "checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "checkpoint/dtype_names.h"
#include "checkpoint/safetensors_header.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors files are little-endian and used as they lie");

constexpr std::uint64_t kLengthBytes = 8;
// The limit of the format's reference implementation. The largest released header has below 1 MB.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

std::uint64_t header_length(const MappedFile& file, const std::string& path) {
  const std::uint64_t size = file.bytes().size();
  if (size < kLengthBytes) {
    throw Error::bad_input(path, "file is shorter than the length of its header",
                           {"at least 8 bytes", std::to_string(size), "the file is truncated"});
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.bytes().data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    throw Error::bad_input(path, "header is too long to be one",
                           {"at most " + std::to_string(kMaxHeaderBytes) + " bytes",
                            std::to_string(length), "is this a safetensors file?"});
  }
  if (length > size - kLengthBytes) {
    throw Error::bad_input(
        path, "header is longer than the file",
        {"a file of at least " + std::to_string(length + kLengthBytes) + " bytes",
         std::to_string(size), "the file is truncated"});
  }
  return length;
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::string path, MappedFile file)
    : path_(std::move(path)), file_(std::move(file)) {}

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  return open(path, throwing_sink());
}

SafetensorsFile SafetensorsFile::open(const std::string& path, const FaultSink& sink) {
  SafetensorsFile result(path, MappedFile::open(path));
  const std::span<const std::byte> bytes = result.file_.bytes();
  const std::uint64_t length = header_length(result.file_, path);
  const HeaderExtent extent{kLengthBytes + length, bytes.size()};

  std::vector<HeaderTensor> entries =
      parse_safetensors_header(result.file_.text().substr(kLengthBytes, length), path);
  const std::vector<bool> usable = check_safetensors_layout(entries, extent, path, sink);

  const std::string file_name = path.substr(path.rfind('/') + 1);
  std::uint64_t data_end = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    HeaderTensor& entry = entries[i];
    data_end = std::max(data_end, entry.end);
    if (!usable[i]) {
      result.damaged_.push_back(std::move(entry.name));
      continue;
    }
    const std::uint64_t offset = extent.data_start + entry.begin;
    result.tensors_.push_back({std::move(entry.name), *dtype_from_disk_name(entry.dtype),
                               std::move(entry.shape),
                               bytes.subspan(offset, entry.end - entry.begin), file_name, offset});
  }
  const std::uint64_t data_size = extent.file_size - extent.data_start;
  if (data_end < data_size) {
    result.warnings_.push_back("[" + path + "] " + std::to_string(data_size - data_end) +
                               " bytes behind the last tensor are ignored");
  }
  return result;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const StoredTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace deepinfer
