#pragma once

// The model that comes with the program, used when --model is not given. Read only.

#include <string>

#include "deepinfer/options.h"

namespace deepinfer::cli {

/// options.model, or the directory of the bundled model: beside an installed program, else in the
/// source tree. Throws Error (bad_input) if there is none.
std::string model_directory(const Options& options);

}  // namespace deepinfer::cli
