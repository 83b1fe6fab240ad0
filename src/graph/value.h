#pragma once

// Values: the typed edges of a graph. Plain data, owned by their Graph.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"
#include "deepinfer/dtype.h"

namespace deepinfer {

/// Index of a value in its graph.
using ValueId = std::int32_t;

enum class ValueKind : std::uint8_t {
  metadata,      ///< a step metadata buffer, filled before every replay or, if derived, by an op
  weight,        ///< a checkpoint tensor (or a bank of one tensor per expert), used where it lies
  root,          ///< a whole cache allocation
  view,          ///< a column of a root; has no storage of its own
  intermediate,  ///< result of an op, placed in the arena
};

/// How a weight lies in the checkpoint (model specification 4.2 and 4.3).
enum class WeightFormat : std::uint8_t {
  plain,  ///< `<name>` as BF16, F16 or F32
  fp8,    ///< `<name>.weight` E4M3 with `<name>.scale` E8M0 per 32x32 tile
  fp4,    ///< `<name>.weight` E2M1 pairs with `<name>.scale` E8M0 per 32 input channels
};

std::string_view name_of(ValueKind kind);
std::string_view name_of(WeightFormat format);

struct Value {
  std::string name;  ///< unique in the graph; of a weight: its checkpoint name
  ValueKind kind = ValueKind::intermediate;
  DType dtype = DType::f32;
  Shape shape;
  /// Weights only. A bank (one tensor per expert) has a leading extent and one name per expert.
  WeightFormat format = WeightFormat::plain;
  std::vector<std::string> tensor_names;
  /// In the graph of a region kind: bound anew by every call (see regions.h).
  bool argument = false;
  /// Of a metadata buffer: the graph itself computes it, in the step that reads it.
  bool derived = false;

  /// Bytes of storage a metadata buffer, root or intermediate needs.
  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
};

}  // namespace deepinfer
