#include "deepinfer/checkpoint.h"

#include <algorithm>

#include "checkpoint/checkpoint_scan.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

class MappedCheckpoint final : public Checkpoint {
 public:
  explicit MappedCheckpoint(const std::string& directory)
      : directory_(directory),
        config_(read_config(directory)),
        scan_(scan_checkpoint(directory, &config_, ScanMode::open, throwing_sink())) {}

  const std::string& directory() const override { return directory_; }
  const ModelConfig& config() const override { return config_; }
  std::span<const StoredTensor> tensors() const override { return scan_.tensors; }
  bool has(std::string_view name) const override { return find(name) != nullptr; }
  const StoredTensor& tensor(std::string_view name) const override {
    if (const StoredTensor* found = find(name)) return *found;
    throw Error::bad_input(directory_, "no tensor '" + std::string(name) + "'");
  }
  std::span<const std::string> warnings() const override { return scan_.warnings; }

 private:
  const StoredTensor* find(std::string_view name) const {
    const auto found = std::lower_bound(
        scan_.tensors.begin(), scan_.tensors.end(), name,
        [](const StoredTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
    return found != scan_.tensors.end() && found->name == name ? &*found : nullptr;
  }

  std::string directory_;
  ModelConfig config_;
  CheckpointScan scan_;
};

}  // namespace

std::shared_ptr<const Checkpoint> Checkpoint::open(const std::string& directory) {
  return std::make_shared<const MappedCheckpoint>(directory);
}

}  // namespace deepinfer
