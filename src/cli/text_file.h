#pragma once

// Reading a whole file of text that the user named.

#include <string>

namespace deepinfer::cli {

/// The bytes of `path`, or of stdin if `path` is "-". Throws Error (bad_input) at `where` naming
/// the path and the system's reason; Interrupted if Ctrl-C came while waiting.
std::string read_text(const std::string& path, const std::string& where);

}  // namespace deepinfer::cli
