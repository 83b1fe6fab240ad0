#include "backend/host/host_executable.h"

#include "backend/host/binding.h"

namespace deepinfer::host {

HostExecutable::HostExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                               ThreadPool& pool)
    : graph_(std::move(graph)),
      pool_(pool),
      values_(bind_given_values(*graph_, bindings)),
      weights_(bind_weights(*graph_, bindings)) {}

TensorRef HostExecutable::output(std::string_view name) const {
  return values_[static_cast<std::size_t>(find_output(*graph_, name).value)];
}

std::vector<TensorRef> HostExecutable::pick(const std::vector<TensorRef>& refs,
                                            const std::vector<ValueId>& ids) {
  std::vector<TensorRef> picked;
  picked.reserve(ids.size());
  for (const ValueId id : ids) picked.push_back(refs[static_cast<std::size_t>(id)]);
  return picked;
}

std::vector<std::span<const WeightRef>> HostExecutable::pick(
    const std::vector<std::vector<WeightRef>>& weights, const std::vector<ValueId>& ids) {
  std::vector<std::span<const WeightRef>> picked;
  picked.reserve(ids.size());
  for (const ValueId id : ids) picked.emplace_back(weights[static_cast<std::size_t>(id)]);
  return picked;
}

}  // namespace deepinfer::host
