#pragma once

// Names for allocations. An address may come back after a free; an id never does, so "the same
// memory as before" is asked of ids.

#include <cstdint>

namespace deepinfer {

/// A number that no other call in this process gets. Thread-safe.
std::uint64_t next_storage_id();

}  // namespace deepinfer
