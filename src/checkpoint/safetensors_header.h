#pragma once

// The JSON header of one safetensors file, parsed without building a document: memory grows with
// the number of tensors only. Pure functions; errors are Error (bad_input).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/fault_sink.h"

namespace deepinfer {

/// An entry of the header, as written: `dtype` may be unknown, offsets may lie anywhere.
struct HeaderTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  ///< bytes from the end of the header
  std::uint64_t end = 0;
};

/// Entries in name order. Throws for anything but a JSON object of well-formed entries with
/// distinct names: a header that cannot be trusted to say what it holds.
std::vector<HeaderTensor> parse_safetensors_header(std::string_view text, std::string_view where);

struct HeaderExtent {
  std::uint64_t data_start = 0;  ///< offset in the file of byte 0 of the data
  std::uint64_t file_size = 0;
};

/// Reports every entry whose dtype is unknown, whose size is not shape * dtype, that overlaps the
/// entry before it, leaves a hole, or lies beyond the end of the file. Returns, for each entry,
/// whether it may be used.
std::vector<bool> check_safetensors_layout(const std::vector<HeaderTensor>& entries,
                                           const HeaderExtent& extent, std::string_view where,
                                           const FaultSink& sink);

}  // namespace deepinfer
