#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "core/printable_text.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {

void write_out(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  const int code = errno;
  if (code == EPIPE) throw OutputClosed{};
  throw Error::failed("stdout", "cannot write",
                      {.expected = {}, .got = std::generic_category().message(code), .hint = {}});
}

void say(std::string_view text) {
  std::string line(text);
  line += '\n';
  // One call per line, so that lines of several programs on one terminal do not mix.
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
  (void)std::fflush(stderr);
}

void log(const Options& options, LogLevel level, std::string_view text) {
  if (level <= options.log_level) say(text);
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& character : line)
    if (character == '\n' || character == '\r' || character == '\t') character = ' ';
  return printable_text(line);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace deepinfer::cli
