#pragma once

// Reading a whole file of text that the user named.

#include <string>

namespace deepinfer::cli {

/// The bytes of `path`, or of stdin if `path` is "-". Throws Error (bad_input) at `where` naming
/// the path, the system's reason and `hint`; Interrupted if Ctrl-C came while waiting.
std::string read_text(const std::string& path, const std::string& where,
                      const std::string& hint = "- reads stdin");

/// What errors about the bytes of `path` call it: the path, or "stdin" if it is "-".
std::string source_name(const std::string& path);

}  // namespace deepinfer::cli
