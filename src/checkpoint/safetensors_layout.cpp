// check_safetensors_layout(): what the offsets of a header claim, against one another and the file.

#include <algorithm>
#include <numeric>
#include <optional>

#include "checkpoint/dtype_names.h"
#include "checkpoint/safetensors_header.h"

namespace deepinfer {
namespace {

std::string range_text(const HeaderTensor& entry) {
  return "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + ")";
}

std::string quoted(const HeaderTensor& entry) { return "tensor '" + entry.name + "'"; }

/// Bytes that dtype and shape call for; nothing if they leave int64.
std::optional<std::uint64_t> bytes_of(DType type, const HeaderTensor& entry) {
  const std::optional<std::int64_t> count = element_count(entry.shape);
  std::int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<std::int64_t>(size_of(type)), &bytes)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

/// The fault of one entry taken alone, if any.
std::optional<Error> own_fault(const HeaderTensor& entry, std::string_view where) {
  if (entry.end < entry.begin) {
    return Error::bad_input(where, quoted(entry) + " has data_offsets that run backwards",
                            {"begin <= end", range_text(entry), ""});
  }
  const std::optional<DType> type = dtype_from_disk_name(entry.dtype);
  if (!type) {
    return Error::bad_input(where, quoted(entry) + " has an unknown dtype",
                            {"F32, F16, BF16, F8_E4M3, F8_E8M0, U8, I8, I32 or I64",
                             "'" + entry.dtype.substr(0, 40) + "'", ""});
  }
  const std::optional<std::uint64_t> bytes = bytes_of(*type, entry);
  const std::string stated =
      std::to_string(entry.end - entry.begin) + " bytes at " + range_text(entry);
  if (!bytes) {
    return Error::bad_input(where, quoted(entry) + " has a shape beyond 2^63 bytes",
                            {stated, dtype_shape_text(*type, entry.shape), ""});
  }
  if (*bytes != entry.end - entry.begin) {
    return Error::bad_input(
        where, quoted(entry) + " has data_offsets that do not fit its shape",
        {std::to_string(*bytes) + " bytes for " + dtype_shape_text(*type, entry.shape), stated,
         ""});
  }
  return std::nullopt;
}

}  // namespace

std::vector<bool> check_safetensors_layout(const std::vector<HeaderTensor>& entries,
                                           const HeaderExtent& extent, std::string_view where,
                                           const FaultSink& sink) {
  std::vector<std::size_t> by_offset(entries.size());
  std::iota(by_offset.begin(), by_offset.end(), std::size_t{0});
  std::sort(by_offset.begin(), by_offset.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries[a].begin, entries[a].end) <
           std::pair(entries[b].begin, entries[b].end);
  });

  const std::uint64_t data_size = extent.file_size - extent.data_start;
  std::uint64_t largest_end = 0;
  for (const HeaderTensor& entry : entries) largest_end = std::max(largest_end, entry.end);

  std::vector<bool> usable(entries.size(), true);
  std::uint64_t covered = 0;  // data bytes [0, covered) belong to the entries so far
  const HeaderTensor* previous = nullptr;
  for (const std::size_t index : by_offset) {
    const HeaderTensor& entry = entries[index];
    const auto report = [&](const Error& error) {
      usable[index] = false;
      sink(error);
    };
    if (const auto fault = own_fault(entry, where)) report(*fault);
    if (entry.begin < covered && entry.end > entry.begin) {
      report(Error::bad_input(
          where, quoted(entry) + " overlaps tensor '" + previous->name + "'",
          {"to begin at " + std::to_string(covered), "data_offsets " + range_text(entry), ""}));
    } else if (entry.begin > covered) {
      report(Error::bad_input(
          where, quoted(entry) + " leaves a hole in the data before it",
          {"to begin at " + std::to_string(covered), "data_offsets " + range_text(entry), ""}));
    }
    if (entry.end > data_size) {
      // Sums of a claimed 64-bit offset may wrap; the claim itself is printed then.
      std::uint64_t needed = 0;
      const bool wraps = __builtin_add_overflow(extent.data_start, largest_end, &needed);
      report(
          Error::bad_input(where, quoted(entry) + " lies beyond the end of the file",
                           {wraps ? "data_offsets within the file"
                                  : "a file of " + std::to_string(needed) + " bytes",
                            wraps ? range_text(entry) : std::to_string(extent.file_size) + " bytes",
                            "the file is truncated or its header is damaged"}));
    }
    if (entry.end > covered) {
      covered = entry.end;
      previous = &entry;
    }
  }
  return usable;
}

}  // namespace deepinfer
