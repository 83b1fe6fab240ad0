#pragma once

// An official DeepSeek-V4.1 checkpoint directory, opened without reading weights.
//
// open() maps every shard and checks the headers only: names, dtypes, shapes and offsets against
// the config. Tensors are used where they lie in the mapping, for as long as the Checkpoint lives;
// they are never written, and neither is the directory. A Checkpoint is immutable after open() and
// may be read by any number of threads.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/dtype.h"
#include "deepinfer/model_config.h"

namespace deepinfer {

/// One tensor of a shard, as stored. Row-major; `data` points into the mapping. Scales and packed
/// FP4 weights that a repacker labelled U8 appear with the type they are used as (F8_E8M0, I8).
struct StoredTensor {
  std::string name;
  DType dtype{};
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
  std::string file;               ///< shard file name, for messages
  std::uint64_t file_offset = 0;  ///< of data[0] in that file, for reads past the mapping
};

class Checkpoint {
 public:
  /// Opens `directory`. Throws Error (bad_input) naming file, tensor, expected and found at the
  /// first fault. Cost: headers only, whatever the size of the weights.
  static std::shared_ptr<const Checkpoint> open(const std::string& directory);

  virtual ~Checkpoint() = default;
  virtual const std::string& directory() const = 0;
  virtual const ModelConfig& config() const = 0;
  /// Every tensor of the checkpoint in name order, draft and vision tensors included.
  virtual std::span<const StoredTensor> tensors() const = 0;
  virtual bool has(std::string_view name) const = 0;
  /// Throws Error (bad_input) if there is no such tensor.
  virtual const StoredTensor& tensor(std::string_view name) const = 0;
  /// Sentences worth telling the user (extra bytes behind the last tensor, unknown names, …).
  virtual std::span<const std::string> warnings() const = 0;
};

struct CheckOptions {
  bool deep = false;  ///< also scan FP8 and E8M0 tensors for NaN codes (reads all weights)
  /// Called during the deep scan, on the calling thread, with bytes done and bytes in all.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// All faults of a checkpoint directory, one line each, in a fixed order; empty = ok. Unlike open()
/// it goes on after a fault. Never throws for a bad checkpoint.
std::vector<std::string> check_checkpoint(const std::string& directory,
                                          const CheckOptions& options);

}  // namespace deepinfer
