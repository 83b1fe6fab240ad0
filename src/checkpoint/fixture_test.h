#pragma once

// What the tests of this layer share: copies of checkpoints that a test may damage, and configs.
// A TempCheckpoint owns a directory of its own and removes it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace deepinfer::testing {

constexpr const char* kT41 = "tests/data/t41";
constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr const char* kSomeScale = "layers.4.attn.wq_a.scale";  // any tensor of kT41

/// A safetensors file taken apart: header and data can be edited separately.
struct Shard {
  nlohmann::json header;
  std::string data;

  std::string bytes() const;  ///< as a file: length, header, data
  /// Appends a tensor behind the last byte of data.
  void append(const std::string& name, const std::string& dtype,
              const std::vector<std::int64_t>& shape, const std::string& content);
};

class TempCheckpoint {
 public:
  explicit TempCheckpoint(const std::string& source = kT41);
  TempCheckpoint(const TempCheckpoint&) = delete;
  TempCheckpoint& operator=(const TempCheckpoint&) = delete;
  ~TempCheckpoint();

  std::string directory() const { return directory_.string(); }
  std::string path(const std::string& file) const { return (directory_ / file).string(); }

  nlohmann::json json_file(const std::string& file) const;
  void write(const std::string& file, const std::string& content) const;
  void write_json(const std::string& file, const nlohmann::json& value) const;
  void resize(const std::string& file, std::uint64_t size) const;
  std::uint64_t size(const std::string& file) const;

  Shard shard(const std::string& file) const;
  void write_shard(const std::string& file, const Shard& shard) const;
  /// The shard that the index names for a tensor.
  std::string shard_of(const std::string& tensor) const;
  void remove_from_index(const std::string& tensor) const;
  void add_to_index(const std::string& tensor, const std::string& file) const;
  /// Removes a tensor from its shard and moves the ones behind it up.
  void remove_from_shard(const std::string& tensor) const;

 private:
  std::filesystem::path directory_;
};

std::string read_file(const std::string& path);

/// config.json of kT41.
nlohmann::json t41_config();

/// config.json with the values of the release (model specification 1.1 to 1.4).
std::string released_config_text();

/// Text of the Error that `call` throws; "no error" if it does not.
std::string error_of(const std::function<void()>& call);

}  // namespace deepinfer::testing
