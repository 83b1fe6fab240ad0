#pragma once

// How lower layers say something to the person running the program: through a sink that the layer
// above hands down. The library itself never prints. A sink may be called from any thread that does
// work for its owner, one call at a time per owner; an empty sink drops the line.

#include <functional>
#include <string_view>

#include "deepinfer/options.h"

namespace deepinfer {

/// Receives one line without a line break; the text is valid only during the call.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

inline void log_to(const LogSink& sink, LogLevel level, std::string_view line) {
  if (sink) sink(level, line);
}

}  // namespace deepinfer
