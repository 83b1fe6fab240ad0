#pragma once

// What the program says when a plug-in crashes the process: a plug-in shares it, so nothing can be
// caught, but whose fault it was can be said.

namespace deepinfer::cli {

/// From now on a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) inside a plug-in's call is one
/// line on stderr, `[FILE] the plug-in crashed in CALL …`, and exit code 1. Any other crash does
/// what it did before. May be called again.
void explain_plugin_crashes();

}  // namespace deepinfer::cli
