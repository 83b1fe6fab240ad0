#pragma once

// The one walk over a checkpoint directory behind both Checkpoint::open() and `check`: index, shard
// headers, expected tensors. They differ only in what the sink does with a fault.

#include <string>
#include <vector>

#include "checkpoint/fault_sink.h"
#include "checkpoint/safetensors.h"
#include "deepinfer/model_config.h"

namespace deepinfer {

enum class ScanMode {
  open,   ///< tensors nobody asked for are one warning
  check,  ///< every one of them is a fault, as is a wrong total size
};

/// Owns the mappings that its tensors point into.
struct CheckpointScan {
  std::vector<SafetensorsFile> shards;
  std::vector<StoredTensor>
      tensors;  ///< usable ones, in name order, with the dtype they are used as
  std::vector<std::string> warnings;
};

/// `config` may be null (in check mode, if it is at fault itself): names and shapes are not
/// compared. Throws only what `sink` throws, or an Error of the index.
CheckpointScan scan_checkpoint(const std::string& directory, const ModelConfig* config,
                               ScanMode mode, const FaultSink& sink);

}  // namespace deepinfer
