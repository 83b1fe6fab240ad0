#pragma once

// A model of the released widths with few layers and random weights, for timings: every tensor name
// and format of a real checkpoint, some gigabytes instead of 510.

#include <filesystem>

namespace deepinfer::bench {

/// Owns a directory in the system's temporary folder, removed with it.
class RandomModel {
 public:
  /// Three layers (window, a ratio-2 and a ratio-1 source), 24 experts of the released 384 and a
  /// vocabulary of 16384; the tokenizer and the config's other fields from the two directories.
  RandomModel(const std::filesystem::path& released, const std::filesystem::path& tokenizer);
  ~RandomModel();
  RandomModel(const RandomModel&) = delete;
  RandomModel& operator=(const RandomModel&) = delete;

  std::string directory() const { return directory_.string(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::filesystem::path directory_;
  std::size_t bytes_ = 0;
};

}  // namespace deepinfer::bench
