#include "backend/host/binding.h"

#include <fmt/format.h>

#include "deepinfer/error.h"

namespace deepinfer::host {

TensorRef contiguous_ref(const Value& value, std::byte* data) {
  const std::int64_t rows = value.shape[0];
  const auto bytes = static_cast<std::int64_t>(value.bytes());
  return {.data = data,
          .dtype = value.dtype,
          .shape = value.shape,
          .row_bytes = rows == 0 ? 0 : bytes / rows};
}

std::vector<TensorRef> bind_given_values(const Graph& graph, const Bindings& bindings) {
  std::vector<TensorRef> refs(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.kind == ValueKind::metadata || value.kind == ValueKind::root)
      refs[id] = contiguous_ref(value, bindings.storage(value));
  }
  for (const Node& node : graph.nodes) {
    const auto* view = std::get_if<CacheView>(&node.op);
    if (view == nullptr) continue;
    const TensorRef& root = refs[static_cast<std::size_t>(node.operands.front())];
    refs[static_cast<std::size_t>(node.results.front())] = {.data = root.data + view->recipe.offset,
                                                            .dtype = view->recipe.dtype,
                                                            .shape = view->recipe.shape,
                                                            .row_bytes = view->recipe.row_bytes};
  }
  return refs;
}

std::vector<std::vector<WeightRef>> bind_weights(const Graph& graph, const Bindings& bindings) {
  std::vector<std::vector<WeightRef>> weights(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].kind == ValueKind::weight)
      weights[id] = bindings.weights(graph.values[id]);
  return weights;
}

const GraphOutput& find_output(const Graph& graph, std::string_view name) {
  for (const GraphOutput& output : graph.outputs)
    if (output.name == name) return output;
  throw Error::bad_input("graph", fmt::format("there is no output '{}'", name));
}

}  // namespace deepinfer::host
