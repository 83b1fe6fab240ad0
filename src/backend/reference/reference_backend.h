#pragma once

// The reference backend: one short plain function per op, written from the model specification. It
// decides what is right; every other backend is tested against it.

#include <memory>

#include "backend/backend.h"

namespace deepinfer::reference {

/// Runs on the calling thread alone.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace deepinfer::reference
