#pragma once

// What memory this process holds, as the kernel and the allocator count it.

#include <cstdint>
#include <filesystem>

namespace deepinfer {

/// Resident bytes that belong to no file: heap, stacks, anonymous mappings (RssAnon). 0 if they
/// cannot be read.
std::int64_t anonymous_resident(const std::filesystem::path& status = "/proc/self/status");

/// Bytes that the allocator has handed out and not got back. 0 where the allocator does not count
/// (sanitizers).
std::int64_t heap_in_use();

/// Gives what the allocator holds and nobody uses back to the system.
void return_free_heap();

}  // namespace deepinfer
