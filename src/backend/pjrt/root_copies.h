#pragma once

// Programs that copy a root which they are to update in place: memory and time for all of it in
// every step, and results as right as ever (fault E4).
//
// A program can hold a copy of a root only if it works in as much memory as the root takes. Then it
// is lowered and compiled once more, over roots of twice the bytes: honest work takes what it took,
// a copy grows with its root. Roots below kSmallestRoot are not asked about: copying one takes
// about a millisecond, and tiny models would have every program compiled twice. Nothing is known
// where the plug-in does not say what programs work in.

#include <cstdint>
#include <span>

#include "backend/pjrt/step_pieces.h"

namespace deepinfer::pjrt {

inline constexpr std::int64_t kSmallestRoot = std::int64_t{4} << 20;  // bytes

/// `pieces` of `graph`, with their programs. Throws Error (failed) with the program's name and
/// bytes if one copies a root.
void refuse_root_copies(ProgramStore& programs, std::span<const Piece> pieces, const Graph& graph,
                        const RegionPlan& regions, const LowerOptions& lowering);

}  // namespace deepinfer::pjrt
