#include <optional>

#include "checkpoint/checkpoint_scan.h"
#include "checkpoint/dtype_names.h"
#include "checkpoint/nan_scan.h"
#include "deepinfer/checkpoint.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

void find_nans(const std::string& directory, const CheckpointScan& scan,
               const CheckOptions& options, const FaultSink& sink) {
  std::uint64_t total = 0;
  for (const StoredTensor& tensor : scan.tensors) {
    if (has_nan_codes(tensor.dtype)) total += tensor.data.size();
  }
  std::uint64_t done = 0;
  for (const StoredTensor& tensor : scan.tensors) {
    if (!has_nan_codes(tensor.dtype)) continue;
    const NanCodes nans = find_nan_codes(tensor.dtype, tensor.data);
    if (nans.count > 0) {
      sink(Error::bad_input(
          directory + "/" + tensor.file, "tensor '" + tensor.name + "' holds NaN codes",
          {"none in " + dtype_shape_text(tensor.dtype, tensor.shape),
           std::to_string(nans.count) + ", the first at element " + std::to_string(nans.first),
           ""}));
    }
    done += tensor.data.size();
    if (options.progress) options.progress(done, total);
  }
}

}  // namespace

std::vector<std::string> check_checkpoint(const std::string& directory,
                                          const CheckOptions& options) {
  std::vector<std::string> faults;
  const FaultSink collect = [&faults](const Error& error) { faults.emplace_back(error.what()); };
  std::optional<ModelConfig> config;
  try {
    config = read_config(directory);
  } catch (const Error& error) {
    collect(error);
  }
  try {
    const CheckpointScan scan =
        scan_checkpoint(directory, config ? &*config : nullptr, ScanMode::check, collect);
    // Bytes behind the last tensor: open() can live with them, a clean copy has none.
    faults.insert(faults.end(), scan.warnings.begin(), scan.warnings.end());
    if (options.deep) find_nans(directory, scan, options, collect);
  } catch (const Error& error) {
    collect(error);
  }
  return faults;
}

}  // namespace deepinfer
