#pragma once

// A backend whose every run begins with an arena full of NaN: what an op reads before it is written
// in the same step shows.

#include <functional>
#include <memory>

#include "backend/backend.h"

namespace deepinfer {

/// For Runtime and GraphRunner, in place of make_backend.
std::unique_ptr<Backend> make_poisoning_backend(const Options& options);

}  // namespace deepinfer
