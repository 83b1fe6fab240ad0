#pragma once

// Short spellings for the tests that start the program. Sizes are small so that a start takes
// milliseconds on the reference backend, too.

#include <string>
#include <vector>

#include "src/core/temporary_folder_test.h"
#include "tests/support/run_program.h"

namespace deepinfer {

using Arguments = std::vector<std::string>;

constexpr const char* kT41 = "tests/data/t41";

/// Arguments that make a start quick, behind `arguments`.
Arguments quick(Arguments arguments);

/// Runs the program of this build to its end.
inline ProgramResult call(const Arguments& arguments, const std::string& input = {}) {
  return run_program(DEEPINFER_PROGRAM, {.arguments = arguments, .input = input});
}

}  // namespace deepinfer
