#include "runner/weight_binding.h"

#include <fmt/format.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

void check_bytes(const StoredTensor& tensor, std::int64_t expected) {
  if (static_cast<std::int64_t>(tensor.data.size()) != expected)
    throw Error::bad_input(tensor.file,
                           fmt::format("tensor '{}' has the wrong size for the graph", tensor.name),
                           {.expected = fmt::format("{} bytes", expected),
                            .got = std::to_string(tensor.data.size()),
                            .hint = {}});
}

std::int64_t tiles(std::int64_t extent) { return (extent + 31) / 32; }

WeightRef bind_tensor(const Checkpoint& checkpoint, const std::string& name, WeightFormat format,
                      const Shape& shape) {
  if (format == WeightFormat::plain) {
    const StoredTensor& tensor = checkpoint.tensor(name);
    check_bytes(tensor, shape.elements() * static_cast<std::int64_t>(size_of(tensor.dtype)));
    return {.format = format,
            .dtype = tensor.dtype,
            .shape = shape,
            .data = tensor.data.data(),
            .scales = nullptr};
  }
  const StoredTensor& weight = checkpoint.tensor(name + ".weight");
  const StoredTensor& scale = checkpoint.tensor(name + ".scale");
  const bool fp8 = format == WeightFormat::fp8;
  check_bytes(weight, fp8 ? shape.elements() : shape.elements() / 2);
  check_bytes(scale, (fp8 ? tiles(shape[0]) : shape[0]) * tiles(shape[1]));
  return {.format = format,
          .dtype = weight.dtype,
          .shape = shape,
          .data = weight.data.data(),
          .scales = reinterpret_cast<const std::uint8_t*>(scale.data.data())};
}

}  // namespace

std::vector<WeightRef> bind_weight(const Checkpoint& checkpoint, const Value& value) {
  // A bank's leading extent counts its tensors.
  const bool bank = value.tensor_names.size() > 1 || value.shape.rank() == 3;
  const Shape shape = bank ? Shape{value.shape[1], value.shape[2]} : value.shape;
  std::vector<WeightRef> refs;
  refs.reserve(value.tensor_names.size());
  for (const std::string& name : value.tensor_names)
    refs.push_back(bind_tensor(checkpoint, name, value.format, shape));
  return refs;
}

}  // namespace deepinfer
