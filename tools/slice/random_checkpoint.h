#pragma once

// Writes a checkpoint of any shape with random weights in the official file format: config.json,
// shards with their index, and the tokenizer's files. For timings, and for tests of what reads it.

#include <cstdint>
#include <filesystem>
#include <string>

namespace deepinfer {

struct RandomCheckpoint {
  std::string config;                              ///< text of config.json
  std::string tokenizer;                           ///< text of tokenizer.json
  std::string tokenizer_config;                    ///< text of tokenizer_config.json
  std::uint64_t seed = 5;                          ///< equal seeds give equal bytes
  std::size_t shard_bytes = std::size_t{2} << 30;  ///< a shard is full at this size
};

/// Bytes of weights written. Holds a few MiB in memory whatever the size. Throws Error: bad_input
/// for a bad config or a directory that is not empty, failed if a file cannot be written.
std::uint64_t write_random_checkpoint(const std::filesystem::path& directory,
                                      const RandomCheckpoint& checkpoint);

}  // namespace deepinfer
