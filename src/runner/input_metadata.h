#pragma once

// The metadata buffers of steps: allocated once for the largest size, then handed out as views cut
// to a size. The bytes of a field never move, so a graph may hold their addresses.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace deepinfer {

struct MetadataField {
  std::string name;
  std::int64_t rows = 0;  ///< at the largest size
  std::int64_t row_bytes = 0;
  bool per_row =
      true;  ///< one entry per row of the step; else one per slot, the same for all sizes
  bool derived = false;  ///< computed by the graph itself: never copied, reset before every replay
  std::size_t offset = 0;
};

/// Owns the bytes of all fields. Not thread-safe.
class MetadataBuffers {
 public:
  /// One field per metadata value of the largest graph. All bytes are zero, those of derived fields
  /// kUnwritten.
  explicit MetadataBuffers(const Graph& largest);

  /// What MetadataBuffers(largest) takes.
  static std::int64_t bytes_for(const Graph& largest);

  const std::vector<MetadataField>& fields() const { return fields_; }
  /// Names of the derived fields.
  const std::vector<std::string>& clean_list() const { return clean_list_; }
  /// Throws Error (bad_input) if there is no such field.
  const MetadataField& field(std::string_view name) const;
  std::byte* data(const MetadataField& field) const { return bytes_.get() + field.offset; }
  std::size_t bytes() const { return size_; }
  /// Of these bytes: never that of other buffers, even at the same address.
  std::uint64_t storage_id() const { return storage_id_; }

 private:
  std::uint64_t storage_id_;
  std::vector<MetadataField> fields_;
  std::vector<std::string> clean_list_;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
};

/// The first `rows` rows of every field. A field with a row per slot (the block table) is whole, or
/// its rows are cut to those of a graph for shorter sequences, and then lie behind each other.
class InputMetadata {
 public:
  InputMetadata(MetadataBuffers& buffers, int rows) : buffers_(&buffers), rows_(rows) {}
  /// As `graph` has them: one of the buffers' graph's size and length of sequences, or smaller.
  InputMetadata(MetadataBuffers& buffers, const Graph& graph);

  int rows() const { return rows_; }
  bool has(std::string_view name) const;
  /// The cut field as integers. Throws Error if there is none of that name.
  std::span<std::int32_t> i32(std::string_view name) const;
  /// The cut field as bytes.
  std::span<std::byte> raw(std::string_view name) const;

  /// Copies the cut of every field that the graph does not compute itself; both must come from the
  /// same graph's fields.
  void copy_from(const InputMetadata& other);

  /// Fields that the graph computes itself.
  const std::vector<std::string>& clean_list() const { return buffers_->clean_list(); }
  /// Puts the cut of every derived field back to the state it was captured in: kUnwritten, which no
  /// graph computes, so that nothing of an earlier step can pass for this one's.
  void reset_derived();
  /// Throws Error (failed) naming the first derived field that still has an unwritten entry.
  void check_derived() const;

  static constexpr std::int32_t kUnwritten = -1;

 private:
  std::size_t cut_bytes(const MetadataField& field) const;

  MetadataBuffers* buffers_;
  int rows_;
  std::int64_t slot_row_bytes_ = 0;  // of the field with a row per slot; 0: all
};

}  // namespace deepinfer
