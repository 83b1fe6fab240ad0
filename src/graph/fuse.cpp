#include "graph/fuse.h"

namespace deepinfer {

Graph fuse(const Graph& graph) {
  return group_linears(fuse_norm_ropes(fuse_collapse_norms(graph)));
}

}  // namespace deepinfer
