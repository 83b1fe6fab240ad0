#include "cli/line_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "cli/interrupt.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {

LineReader::Result LineReader::next(std::string& line) {
  while (true) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return Result::line;
    }
    if (at_end_) {
      line = std::move(buffer_);
      buffer_.clear();
      return line.empty() ? Result::end : Result::line;
    }
    std::array<char, 4096> chunk{};
    const ssize_t count = read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      at_end_ = true;
    } else if (errno == EINTR) {
      if (!interrupted()) continue;
      buffer_.clear();
      return Result::interrupted;
    } else {
      throw Error::failed(
          "stdin", "cannot read",
          {.expected = {}, .got = std::generic_category().message(errno), .hint = {}});
    }
  }
}

}  // namespace deepinfer::cli
