#pragma once

// What memory this process holds, as the kernel and the allocator count it.

#include <cstdint>
#include <filesystem>

namespace deepinfer {

/// Resident bytes that belong to no file: heap, stacks, anonymous mappings (RssAnon). 0 if they
/// cannot be read.
std::int64_t anonymous_resident(const std::filesystem::path& status = "/proc/self/status");

/// The most bytes that were resident at once, those of files included (VmHWM), since the start or
/// the last forget_peak_resident(). 0 if they cannot be read.
std::int64_t peak_resident(const std::filesystem::path& status = "/proc/self/status");

/// Begins the peak anew. False if the system does not let a process do so.
bool forget_peak_resident(const std::filesystem::path& clear_refs = "/proc/self/clear_refs");

/// Bytes that the allocator has handed out and not got back. 0 where the allocator does not count
/// (sanitizers).
std::int64_t heap_in_use();

/// Gives what the allocator holds and nobody uses back to the system.
void return_free_heap();

}  // namespace deepinfer
