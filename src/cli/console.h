#pragma once

// The program's two outputs. Results go to stdout, flushed at once; everything else goes to stderr
// as whole lines. One thread.

#include <string>
#include <string_view>

#include "deepinfer/options.h"

namespace deepinfer::cli {

/// Nobody reads stdout any more: the program ends quietly.
struct OutputClosed {};

/// Writes to stdout and flushes. Throws Error (failed) if the bytes cannot be written, OutputClosed
/// if the reader is gone.
void write_out(std::string_view text);

/// Writes `text` and a line break to stderr. Failures are ignored: there is nowhere to say them.
void say(std::string_view text);

/// say(), if `level` is to be said at the options' log level.
void log(const Options& options, LogLevel level, std::string_view text);

/// `text` as one line for a terminal: line breaks and tabs become spaces, other control characters
/// and what is no UTF-8 are escaped.
std::string one_line(std::string_view text);

bool stdout_is_terminal();
bool stderr_is_terminal();

}  // namespace deepinfer::cli
