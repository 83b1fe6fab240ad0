#pragma once

// Resolving a graph's given values to memory.

#include <vector>

#include "backend/backend.h"

namespace deepinfer::host {

/// A ref to contiguous storage of `value` at `data`.
TensorRef contiguous_ref(const Value& value, std::byte* data);

/// Refs of all given values (metadata, roots) and of all views, by value id; other entries are
/// empty.
std::vector<TensorRef> bind_given_values(const Graph& graph, const Bindings& bindings);

/// Weights by value id; empty for other values.
std::vector<std::vector<WeightRef>> bind_weights(const Graph& graph, const Bindings& bindings);

/// The output called `name`, or Error.
const GraphOutput& find_output(const Graph& graph, std::string_view name);

}  // namespace deepinfer::host
