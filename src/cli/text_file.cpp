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

/// Of what read_text() was given.
struct Source {
  const std::string& path;
  const std::string& where;
  const std::string& hint;
};

Error cannot_read(const Source& source, int code) {
  const std::string reason = " (" + std::generic_category().message(code) + ")";
  return Error::bad_input(source.where, "cannot read the file",
                          {.expected = "a readable file",
                           .got = "'" + source.path + "'" + reason,
                           .hint = source.hint});
}

/// Closes what it opened.
class InputFile {
 public:
  explicit InputFile(const Source& source)
      : descriptor_(source.path == "-" ? STDIN_FILENO
                                       : open(source.path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw cannot_read(source, errno);
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

std::string read_text(const std::string& path, const std::string& where, const std::string& hint) {
  const Source source{.path = path, .where = where, .hint = hint};
  const InputFile file(source);
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = read(file.descriptor(), buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (errno != EINTR) throw cannot_read(source, errno);
    throw_if_interrupted();
  }
}

std::string source_name(const std::string& path) { return path == "-" ? "stdin" : path; }

}  // namespace deepinfer::cli
