// Any text as a graph: an Error, or a graph that every pass takes, that can be planned, and that is
// written and read back as it is.

#include "deepinfer/error.h"
#include "fuzz/fuzz_support.h"
#include "graph/graph_json.h"
#include "graph/memory_plan.h"
#include "graph/passes.h"
#include "graph/printer.h"

using deepinfer::fuzz::require;

namespace {

std::size_t no_workspace(const deepinfer::Graph& /*graph*/, const deepinfer::Node& /*node*/) {
  return 0;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const deepinfer::Graph graph =
        deepinfer::graph_from_json(deepinfer::fuzz::as_text(data, size), "graph.json");
    const std::string text = deepinfer::to_json(graph);
    require(deepinfer::to_json(deepinfer::graph_from_json(text, "graph.json")) == text,
            "a graph that was read is written as it is");
    const deepinfer::Graph passed = deepinfer::run_passes(graph).graph;
    require(passed.nodes.size() <= graph.nodes.size(), "passes add no ops");
    require(passed.outputs.size() == graph.outputs.size(), "passes keep the outputs");
    require(deepinfer::plan_memory(passed, &no_workspace).values.size() == passed.values.size(),
            "every value is planned");
    require(!deepinfer::to_text(passed).empty(), "a graph is printed");
  } catch (const deepinfer::Error&) {
    // The right answer to most inputs.
  }
  return 0;
}
