#include "checkpoint/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error system_error(const std::string& path, std::string_view what) {
  const int code = errno;
  // The files of a model come together: where one is missing, the path or the download is at fault.
  const char* hint = code == ENOENT || code == ENOTDIR
                         ? "a model directory holds config.json, tokenizer.json and the weights"
                         : "";
  return Error::bad_input(
      path, what,
      {.expected = "a readable file", .got = std::generic_category().message(code), .hint = hint});
}

}  // namespace

MappedFile MappedFile::open(const std::string& path) {
  // O_NONBLOCK: a FIFO in place of a shard must be an error, not a wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw system_error(path, "cannot open the file");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw system_error(path, "cannot read the size of the file");
  if (!S_ISREG(info.st_mode)) {
    throw Error::bad_input(path, "not a regular file",
                           {.expected = "a regular file",
                            .got = S_ISDIR(info.st_mode) ? "a directory" : "a special file",
                            .hint = ""});
  }
  if (info.st_size == 0) return MappedFile({});  // mmap refuses empty ranges
  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) throw system_error(path, "cannot map the file");
  return MappedFile({static_cast<std::byte*>(address), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace deepinfer
