#pragma once

// The reading loop. Included by the files of isa/, once per instruction set: a line is one load or
// several, as the set has them.

#include <array>

#include "limits/limit_kernels.h"

namespace deepinfer::limits {
namespace {

using Line [[gnu::vector_size(64), gnu::may_alias]] = std::uint64_t;

template <int kStreams>
std::uint64_t read_streams(const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kLines = 2;  // of a stream, one after the other
  const std::size_t length = bytes / kStreams / sizeof(Line);
  const auto* lines = reinterpret_cast<const Line*>(from);
  Line seen[kLines] = {};
  for (std::size_t line = 0; line + kLines <= length; line += kLines)
    for (std::size_t stream = 0; stream < kStreams; ++stream)
      for (std::size_t next = 0; next < kLines; ++next)
        seen[next] |= lines[stream * length + line + next];
  std::uint64_t all = 0;
  for (const Line& part : seen)
    for (std::size_t word = 0; word < sizeof(Line) / sizeof(std::uint64_t); ++word)
      all |= part[word];
  return all;
}

/// The loops of the including file's instruction set.
constexpr std::array<ReadKernel, 3> read_kernels() {
  return {{{.streams = 1, .run = &read_streams<1>},
           {.streams = 4, .run = &read_streams<4>},
           {.streams = 8, .run = &read_streams<8>}}};
}

}  // namespace
}  // namespace deepinfer::limits
