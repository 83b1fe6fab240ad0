#pragma once

// Which file of a checkpoint directory holds which tensor.
//
// From model.safetensors.index.json, or, without one, from a single model.safetensors. Plain value.
// Errors are Error (bad_input) naming the index file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

struct IndexEntry {
  std::string tensor;
  std::string file;  ///< a plain file name in the checkpoint directory
};

struct CheckpointIndex {
  std::string path;                 ///< of the index, for messages
  bool has_map = false;             ///< false: a single file that is its own index
  std::vector<IndexEntry> entries;  ///< in name order, names distinct; empty without a map
  std::vector<std::string> files;   ///< in name order, distinct
  std::optional<std::uint64_t> total_size;

  /// nullptr if the name is not listed.
  const IndexEntry* find(std::string_view tensor) const;
};

CheckpointIndex read_checkpoint_index(const std::string& directory);
/// Whether there is an index or a single file of weights to read.
bool has_weights(const std::string& directory);

/// The parser, apart from the file system.
CheckpointIndex parse_checkpoint_index(std::string_view text, const std::string& path);

}  // namespace deepinfer
