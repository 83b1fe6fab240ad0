#include "backend/pjrt/step_pieces.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <set>
#include <utility>

namespace deepinfer::pjrt {
namespace {

bool runs(const Node& node) { return !std::holds_alternative<CacheView>(node.op); }

std::string text_of(const std::exception_ptr& fault) {
  try {
    std::rethrow_exception(fault);
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string name_of_piece(const Piece& piece, const Graph& graph, const RegionPlan& regions) {
  if (piece.node >= 0)
    return fmt::format("{} of {} rows",
                       name_of(graph.nodes[static_cast<std::size_t>(piece.node)].op), graph.rows);
  if (piece.region < 0) return fmt::format("step of {} rows", graph.rows);
  const RegionCall& call = regions.calls[static_cast<std::size_t>(piece.region)];
  return fmt::format("region {} of {} rows",
                     regions.kinds[static_cast<std::size_t>(call.kind)].name, graph.rows);
}

Piece make_piece(int node, int region, const Graph& graph, const RegionPlan& regions,
                 const LowerOptions& lowering) {
  Piece piece = {.node = node, .region = region};
  piece.name = name_of_piece(piece, graph, regions);
  piece.module = lower_again(piece, graph, regions, lowering);
  return piece;
}

}  // namespace

LoweredModule lower_again(const Piece& piece, const Graph& graph, const RegionPlan& regions,
                          const LowerOptions& lowering) {
  if (piece.node >= 0)
    return lower_node(graph, graph.nodes[static_cast<std::size_t>(piece.node)], lowering);
  if (piece.region < 0) return lower_graph(graph, lowering);
  const RegionCall& call = regions.calls[static_cast<std::size_t>(piece.region)];
  return lower_region(graph, regions.kinds[static_cast<std::size_t>(call.kind)], call, lowering);
}

std::vector<Piece> cut(const Graph& graph, const RegionPlan& regions, GraphMode mode,
                       const LowerOptions& lowering) {
  std::vector<Piece> pieces;
  if (mode == GraphMode::whole) {
    pieces.push_back(make_piece(-1, -1, graph, regions, lowering));
  } else if (mode == GraphMode::eager) {
    for (std::size_t index = 0; index < graph.nodes.size(); ++index)
      if (runs(graph.nodes[index]))
        pieces.push_back(make_piece(static_cast<int>(index), -1, graph, regions, lowering));
  } else {
    pieces.reserve(regions.steps.size());
    for (const RegionStep& step : regions.steps)
      pieces.push_back(
          make_piece(step.call < 0 ? step.node : -1, step.call, graph, regions, lowering));
  }
  return pieces;
}

std::vector<Piece> split_failed_regions(std::vector<Piece> pieces, const Graph& graph,
                                        const RegionPlan& regions, const LowerOptions& lowering,
                                        std::vector<std::string>& notes) {
  std::vector<Piece> parts;
  std::set<std::string> told;
  for (Piece& piece : pieces) {
    if (piece.made.fault == nullptr || piece.region < 0) {
      parts.push_back(std::move(piece));
      continue;
    }
    const RegionCall& call = regions.calls[static_cast<std::size_t>(piece.region)];
    for (const int index : call.nodes)
      if (runs(graph.nodes[static_cast<std::size_t>(index)]))
        parts.push_back(make_piece(index, piece.region, graph, regions, lowering));
    if (told.insert(piece.name).second)
      notes.push_back(fmt::format("{} cannot be compiled and runs op by op: {}", piece.name,
                                  text_of(piece.made.fault)));
  }
  return parts;
}

void make_programs(ProgramStore& programs, std::vector<Piece>& pieces) {
  ProgramBatch batch;
  std::vector<std::optional<std::size_t>> numbers(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].made.program != nullptr) continue;
    numbers[i] = batch.add(pieces[i].module, pieces[i].name);
    pieces[i].module.text.clear();
  }
  const std::vector<ProgramOutcome> made = programs.programs(batch);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (numbers[i].has_value()) pieces[i].made = made[*numbers[i]];
}

}  // namespace deepinfer::pjrt
