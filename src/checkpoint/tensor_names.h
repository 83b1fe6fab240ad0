#pragma once

// The tensors a checkpoint of a given config must hold (model specification 4.2). Pure functions of
// a checked config; memory grows with the number of tensors, which the config's rules bound.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/dtype.h"
#include "deepinfer/model_config.h"

namespace deepinfer {

struct ExpectedTensor {
  std::string name;
  std::span<const DType> dtypes;  ///< accepted on disk; the first is the one it is used as
  std::vector<std::int64_t> shape;
  bool required = true;  ///< false: may be absent, because the text model does not use it

  DType dtype() const { return dtypes.front(); }
};

/// Every tensor of the text model, in name order. In a quantised checkpoint U8 stands for F8_E8M0
/// and I8 with the same bytes; in an unquantised one every tensor may be BF16, F16 or F32.
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config);

/// Whether the name belongs to a group the text model leaves alone: draft head, vision tower.
bool is_ignored_tensor(std::string_view name);

}  // namespace deepinfer
