#include "cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "cli/interrupt.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

Error cannot_read(const std::string& where, const std::string& path, int code) {
  return Error::bad_input(where, "cannot read the file",
                          {.expected = "a readable file",
                           .got = "'" + path + "' (" + std::generic_category().message(code) + ")",
                           .hint = {}});
}

/// Closes what it opened.
class InputFile {
 public:
  InputFile(const std::string& path, const std::string& where)
      : descriptor_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw cannot_read(where, path, errno);
  }
  ~InputFile() {
    if (descriptor_ > STDIN_FILENO) close(descriptor_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string read_text(const std::string& path, const std::string& where) {
  const InputFile file(path, where);
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = read(file.descriptor(), buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (errno != EINTR) throw cannot_read(where, path, errno);
    throw_if_interrupted();
  }
}

}  // namespace deepinfer::cli
