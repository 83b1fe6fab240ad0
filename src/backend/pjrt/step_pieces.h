#pragma once

// A graph cut into what becomes a program each: all of it, a region call or a node. Pure functions
// beside make_programs().

#include <string>
#include <vector>

#include "backend/pjrt/program_store.h"
#include "backend/pjrt/stablehlo/lower.h"
#include "deepinfer/options.h"

namespace deepinfer::pjrt {

/// A step of a run to be: lowered, with its program or why there is none.
struct Piece {
  int node = -1;    ///< the one that it is
  int region = -1;  ///< the call that it is, or that its node belongs to; neither: the whole graph
  std::string name = {};
  LoweredModule module = {};
  ProgramOutcome made = {};
};

/// The graph's pieces, lowered. `regions`: of the graph; read in mode regions only.
std::vector<Piece> cut(const Graph& graph, const RegionPlan& regions, GraphMode mode,
                       const LowerOptions& lowering);
/// In place of each region that has no program, its nodes; a line in `notes` for each of these.
std::vector<Piece> split_failed_regions(std::vector<Piece> pieces, const Graph& graph,
                                        const RegionPlan& regions, const LowerOptions& lowering,
                                        std::vector<std::string>& notes);
/// The same piece of `graph`, which is the one that was cut but for extents.
LoweredModule lower_again(const Piece& piece, const Graph& graph, const RegionPlan& regions,
                          const LowerOptions& lowering);

/// Makes the programs of the pieces that have none. Their texts are given up: a step has no use for
/// them.
void make_programs(ProgramStore& programs, std::vector<Piece>& pieces);

}  // namespace deepinfer::pjrt
