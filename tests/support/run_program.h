#pragma once

// Starts a program, feeds it stdin and collects what it writes. DEEPINFER_* variables of the test's
// own environment are not passed on.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deepinfer {

struct ProgramCall {
  std::vector<std::string> arguments{};
  std::string input{};  ///< stdin
  std::vector<std::pair<std::string, std::string>> environment{};
  std::optional<std::uint64_t> file_size_limit{};  ///< RLIMIT_FSIZE, bytes
  std::string stdout_path{};                       ///< stdout goes to this file instead
  bool interrupt_at_output = false;                ///< SIGINT once something came on stdout
  bool close_at_output = false;                    ///< stops reading stdout there
};

struct ProgramResult {
  int exit_code = -1;  ///< 128 + signal if a signal ended it; -1 if it took too long
  std::string out;
  std::string err;

  /// Lines of stderr.
  int error_lines() const;
};

/// Kills the program after two minutes. Throws std::runtime_error if it cannot be started.
ProgramResult run_program(const std::string& program, const ProgramCall& call);

}  // namespace deepinfer
