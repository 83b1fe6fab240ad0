#pragma once

// A graph as text that reads like the model's definition.

#include <string>

#include "graph/graph.h"

namespace deepinfer {

/// Metadata, roots and weights first, then one line per op under the heading of its place:
///   %q: f32[8, 256] = linear(%qr, @layers.0.attn.wq_b: fp8[256, 96]) {quantise_input, round=bf16}
std::string to_text(const Graph& graph);

}  // namespace deepinfer
