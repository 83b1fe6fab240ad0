#pragma once

// The form of an entry of the compile cache: lines of text that say what follows them. Pure
// functions.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace deepinfer::pjrt {

/// What stands before `bytes` in the entry of `key`: format and version, key, length, checksum.
std::string entry_header(std::string_view key, std::span<const std::byte> bytes);

struct EntryContent {
  std::span<const std::byte> bytes;  ///< of the program, inside the file's
  std::string fault;                 ///< why they cannot be used; empty: they can
};

/// The program in `file`, all bytes of an entry that should be that of `key`.
EntryContent read_entry(std::string_view key, std::span<const std::byte> file);

}  // namespace deepinfer::pjrt
