#pragma once

// Reads rows of one engram table, from the mapping or from the file. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "deepinfer/checkpoint.h"
#include "deepinfer/options.h"

namespace deepinfer {

class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Packs rows `ids` one after the other to `out`.
  virtual void read(std::span<const std::int64_t> ids, std::byte* out) const = 0;
};

/// A reader of `layers.<layer>.engram.embed`. memory (and automatic): through the mapping; disk:
/// with positioned reads, so that pages of the table never enter the process.
std::unique_ptr<RowReader> make_row_reader(const Checkpoint& checkpoint, int layer,
                                           EngramMode mode);

}  // namespace deepinfer
