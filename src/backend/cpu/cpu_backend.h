#pragma once

// The cpu backend: the ops over packed weights as they lie, threaded, for the instruction set of
// the machine.

#include <memory>
#include <string_view>

#include "backend/backend.h"

namespace deepinfer::cpu {

/// `isa`: auto, scalar, avx2 or avx512. Throws Error (bad_input) if this machine lacks it, naming
/// what it has. REQUIRES: threads >= 1.
std::unique_ptr<Backend> make_cpu_backend(std::string_view isa, int threads);

}  // namespace deepinfer::cpu
