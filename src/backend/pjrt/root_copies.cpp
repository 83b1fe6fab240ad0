#include "backend/pjrt/root_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "backend/pjrt/device_store.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

constexpr std::int64_t kNoRoot = 0;

/// Of the roots that a program has, those that matter: the smallest. Bytes.
std::int64_t smallest_root(const LoweredModule& module) {
  std::int64_t smallest = kNoRoot;
  for (const Parameter& parameter : module.parameters) {
    if (parameter.kind != ParameterKind::root) continue;
    const auto bytes = static_cast<std::int64_t>(type_of(parameter).bytes());
    if (bytes >= kSmallestRoot && (smallest == kNoRoot || bytes < smallest)) smallest = bytes;
  }
  return smallest;
}

Graph with_twice_the_roots(Graph graph) {
  for (Value& value : graph.values)
    if (value.kind == ValueKind::root) value.shape = {2 * value.shape[0]};
  return graph;
}

struct Suspect {
  const Piece* piece;
  std::int64_t root;       // bytes
  std::int64_t temporary;  // bytes
};

std::vector<Suspect> suspects_of(std::span<const Piece> pieces) {
  std::vector<Suspect> suspects;
  std::set<const Program*> seen;
  for (const Piece& piece : pieces) {
    if (!seen.insert(piece.made.program.get()).second) continue;
    const std::int64_t root = smallest_root(piece.module);
    if (root == kNoRoot) continue;
    const std::optional<std::int64_t> temporary = temporary_bytes(*piece.made.program);
    if (temporary.value_or(0) >= root)
      suspects.push_back({.piece = &piece, .root = root, .temporary = *temporary});
  }
  return suspects;
}

}  // namespace

void refuse_root_copies(ProgramStore& programs, std::span<const Piece> pieces, const Graph& graph,
                        const RegionPlan& regions, const LowerOptions& lowering) {
  const std::vector<Suspect> suspects = suspects_of(pieces);
  if (suspects.empty()) return;
  const Graph larger = with_twice_the_roots(graph);
  ProgramBatch batch;
  std::vector<std::size_t> numbers;
  numbers.reserve(suspects.size());
  for (const Suspect& suspect : suspects)
    numbers.push_back(batch.add(lower_again(*suspect.piece, larger, regions, lowering),
                                suspect.piece->name + ", over larger caches"));
  const std::vector<ProgramOutcome> made = programs.programs(batch);
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const Suspect& suspect = suspects[i];
    const ProgramOutcome& outcome = made[numbers[i]];
    // What cannot be compiled over larger caches is not convicted.
    if (outcome.program == nullptr) continue;
    const std::int64_t temporary = temporary_bytes(*outcome.program).value_or(0);
    if (temporary - suspect.temporary < suspect.root / 2) continue;
    throw Error::failed(
        suspect.piece->name, "copies a cache buffer that it is to update in place",
        {.expected = "a program that works in as much memory whatever the caches take",
         .got = fmt::format("{} bytes with a cache buffer of {}, and {} with twice the buffers",
                            suspect.temporary, suspect.root, temporary),
         .hint = "every step would move that buffer: another --graph-mode may do without"});
  }
}

}  // namespace deepinfer::pjrt
