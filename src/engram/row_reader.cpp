#include "engram/row_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/numeric_formats.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

constexpr std::size_t kGroup = 32;  // codes that share a scale (model specification 4.3)

/// FP8 rows through the mapping: codes, then scales.
class MappedFp8Reader : public RowReader {
 public:
  MappedFp8Reader(const StoredTensor& weight, const StoredTensor& scale)
      : codes_(weight.data.data()),
        scales_(scale.data.data()),
        groups_(static_cast<std::size_t>(scale.shape[1])) {}

  void read(std::span<const std::int64_t> ids, std::byte* out) const override {
    // Rows are short (32 to 256 codes): pieces of a fixed size cost less than a call of memcpy.
    for (const std::int64_t id : ids) {
      const std::size_t first = static_cast<std::size_t>(id) * groups_;
      const std::byte* codes = codes_ + first * kGroup;
      std::byte* const scales = out + groups_ * kGroup;
      for (std::size_t group = 0; group < groups_; ++group) {
        std::memcpy(out + group * kGroup, codes + group * kGroup, kGroup);
        scales[group] = scales_[first + group];
      }
      out = scales + groups_;
    }
  }

 private:
  const std::byte* codes_;
  const std::byte* scales_;
  std::size_t groups_;
};

/// BF16, F16 or F32 rows of an unquantised checkpoint, widened to f32.
class MappedPlainReader : public RowReader {
 public:
  explicit MappedPlainReader(const StoredTensor& weight)
      : data_(weight.data.data()),
        dtype_(weight.dtype),
        width_(static_cast<std::size_t>(weight.shape[1])) {}

  void read(std::span<const std::int64_t> ids, std::byte* out) const override {
    const std::size_t element = size_of(dtype_);
    for (const std::int64_t id : ids) {
      const std::byte* row = data_ + static_cast<std::size_t>(id) * width_ * element;
      for (std::size_t i = 0; i < width_; ++i) {
        const float value = widen(row + i * element);
        std::memcpy(out, &value, sizeof value);
        out += sizeof value;
      }
    }
  }

 private:
  float widen(const std::byte* bytes) const {
    if (dtype_ == DType::f32) {
      float value = 0;
      std::memcpy(&value, bytes, sizeof value);
      return value;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    return dtype_ == DType::bf16 ? bf16_to_f32(bits) : f16_to_f32(bits);
  }

  const std::byte* data_;
  DType dtype_;
  std::size_t width_;
};

/// An open file descriptor.
class File {
 public:
  explicit File(std::string path)
      : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      throw Error::failed(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void read_at(std::uint64_t offset, std::byte* out, std::size_t bytes) const {
    while (bytes > 0) {
      const ssize_t got = ::pread(descriptor_, out, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw Error::failed(path_, fmt::format("cannot read an engram row at {}", offset),
                            {.expected = fmt::format("{} bytes", bytes),
                             .got = got == 0 ? "end of file" : std::strerror(errno),
                             .hint = {}});
      out += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// FP8 rows with positioned reads.
class FileFp8Reader : public RowReader {
 public:
  FileFp8Reader(const std::string& directory, const StoredTensor& weight, const StoredTensor& scale)
      : weight_file_(directory + "/" + weight.file),
        scale_file_(directory + "/" + scale.file),
        weight_offset_(weight.file_offset),
        scale_offset_(scale.file_offset),
        code_bytes_(static_cast<std::size_t>(weight.shape[1])),
        scale_bytes_(static_cast<std::size_t>(scale.shape[1])) {}

  void read(std::span<const std::int64_t> ids, std::byte* out) const override {
    for (const std::int64_t id : ids) {
      const auto row = static_cast<std::uint64_t>(id);
      weight_file_.read_at(weight_offset_ + row * code_bytes_, out, code_bytes_);
      scale_file_.read_at(scale_offset_ + row * scale_bytes_, out + code_bytes_, scale_bytes_);
      out += code_bytes_ + scale_bytes_;
    }
  }

 private:
  File weight_file_;
  File scale_file_;
  std::uint64_t weight_offset_;
  std::uint64_t scale_offset_;
  std::size_t code_bytes_;
  std::size_t scale_bytes_;
};

}  // namespace

std::unique_ptr<RowReader> make_row_reader(const Checkpoint& checkpoint, int layer,
                                           EngramMode mode) {
  const std::string name = fmt::format("layers.{}.engram.embed", layer);
  const StoredTensor& weight = checkpoint.tensor(name + ".weight");
  if (!checkpoint.config().quantized) {
    if (mode == EngramMode::disk)
      throw Error::bad_input("--engram", "disk needs a quantised checkpoint",
                             {.expected = "F8_E4M3 engram tables",
                              .got = std::string(name_of(weight.dtype)),
                              .hint = "use --engram memory"});
    return std::make_unique<MappedPlainReader>(weight);
  }
  const StoredTensor& scale = checkpoint.tensor(name + ".scale");
  if (mode == EngramMode::disk)
    return std::make_unique<FileFp8Reader>(checkpoint.directory(), weight, scale);
  return std::make_unique<MappedFp8Reader>(weight, scale);
}

}  // namespace deepinfer
