#include "runner/graph_inputs.h"

#include <fmt/format.h>

#include "deepinfer/error.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

[[noreturn]] void throw_moved(const GraphInputs::Input& recorded, const InputPlace& now) {
  const bool other = recorded.place.storage != now.storage;
  throw Error::bad_input(
      "graph input " + recorded.name,
      other ? "lies in another allocation than at capture" : "has moved since capture",
      {.expected = fmt::format("{} of allocation {}", fmt::ptr(recorded.place.address),
                               recorded.place.storage),
       .got = fmt::format("{} of allocation {}", fmt::ptr(now.address), now.storage),
       .hint = "capture again after replacing caches or metadata buffers"});
}

}  // namespace

GraphInputs::GraphInputs(const MetadataBuffers& device, const KvCaches& caches)
    : device_(device), caches_(caches) {
  inputs_.reserve(device.fields().size() + kCacheRoots.size());
  for (std::size_t field = 0; field < device.fields().size(); ++field)
    inputs_.push_back({.name = device.fields()[field].name, .place = place_of_field(field)});
  for (const CacheRoot root : caches.layout().roots())
    inputs_.push_back(
        {.name = std::string(step_inputs::root_name(root)), .place = place_of_root(root)});
}

InputPlace GraphInputs::place_of_field(std::size_t field) const {
  return {.storage = device_.storage_id(), .address = device_.data(device_.fields()[field])};
}

InputPlace GraphInputs::place_of_root(CacheRoot root) const {
  return {.storage = caches_.storage_id(), .address = caches_.root(root)};
}

void GraphInputs::check() const {
  const std::size_t fields = device_.fields().size();
  for (std::size_t index = 0; index < inputs_.size(); ++index) {
    // Roots follow in the order of kCacheRoots.
    const InputPlace now =
        index < fields ? place_of_field(index) : place_of_root(kCacheRoots[index - fields]);
    if (!(now == inputs_[index].place)) throw_moved(inputs_[index], now);
  }
}

}  // namespace deepinfer
