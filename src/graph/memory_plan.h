#pragma once

// Pass `plan memory`: a fixed offset for every intermediate value and every op's workspace in one
// arena. Values whose lives do not overlap share bytes; an op declared in-place takes over its
// operand's storage when that dies there. Plain data, immutable.

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace deepinfer {

/// Bytes of scratch memory a backend needs while it runs `node`.
using WorkspaceBytes = std::function<std::size_t(const Graph& graph, const Node& node)>;

struct Placement {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  int first_node = 0;  ///< index of the op that makes it
  int last_node = 0;   ///< index of the last op that needs it (nodes.size() for outputs)
};

struct MemoryPlan {
  static constexpr std::size_t kAlignment = 64;  // a cache line and the widest vector register

  std::vector<Placement> values;      ///< by value id; bytes == 0 for values without arena storage
  std::vector<Placement> workspaces;  ///< by node index; bytes == 0 where an op needs none
  std::vector<ValueId> storage_of;    ///< by value id: the value whose storage it uses (itself, or
                                      ///< the first of a chain of in-place ops)
  std::size_t arena_bytes = 0;
  std::size_t unshared_bytes = 0;  ///< what the arena would need if nothing shared bytes

  std::string describe(const Graph& graph) const;
};

/// Where the graph's outputs lie: in the arena, or in storage that the caller of a region brings
/// (then they, and values an output takes over in place, have no place of their own in the plan).
enum class OutputStorage { arena, caller };

MemoryPlan plan_memory(const Graph& graph, const WorkspaceBytes& workspace_bytes,
                       OutputStorage outputs = OutputStorage::arena);

/// Bytes rounded up to MemoryPlan::kAlignment.
std::size_t align_up(std::size_t bytes);

/// Gives blocks with first_node, last_node and bytes their offsets: those whose lives overlap get
/// bytes of their own. Returns the arena's size.
std::size_t place_blocks(std::vector<Placement*> blocks);

}  // namespace deepinfer
