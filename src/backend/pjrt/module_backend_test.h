#pragma once

// A backend for tests that does nothing but lower, compile and run modules: in mode eager one per
// node, in the others one of the whole graph. Everything is uploaded for every run and what is
// written comes back at once.

#include <memory>

#include "backend/backend.h"
#include "backend/pjrt/client/client.h"
#include "backend/pjrt/stablehlo/lower.h"

namespace deepinfer::pjrt::test {

/// `client` must not be null. `types` and `offset_parameters` as in LowerOptions.
std::unique_ptr<Backend> module_backend(std::shared_ptr<const Client> client,
                                        const TypeSupport& types = {},
                                        bool offset_parameters = false);

}  // namespace deepinfer::pjrt::test
