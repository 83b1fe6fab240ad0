#pragma once

// What a plug-in's compiler takes, as far as lowering chooses by it, and what one module may unpack
// at a time. Plain data; the defaults are XLA's own compilers'. Facts of other plug-ins: facts/.

#include <cstdint>

namespace deepinfer::pjrt {

/// How codes of a format the device has no type for become numbers.
enum class Decoding : std::uint8_t {
  table,       ///< one gather per element from the format's values
  arithmetic,  ///< shifts and additions: for devices on which gathers of elements are slow
};

/// How the best entries of a row are found.
enum class Selection : std::uint8_t {
  sort,      ///< two stable sorts
  counting,  ///< products and comparisons alone: for compilers without a sort
};

struct TypeSupport {
  bool f8e4m3fn = false;  ///< bitcast from ui8, convert to f32
  bool f4e2m1fn = false;  ///< bitcast of a ui8 to two, low nibble first
  Decoding otherwise = Decoding::table;
  Selection selection = Selection::sort;
  bool reduce_precision = true;  ///< else values are rounded to bf16 on their bits
  bool reduces_flags = true;     ///< reductions of i1; else of the flags as f32
  /// Takes optimization_barrier. XLA needs it: of a piece of a weight that is unpacked in a loop,
  /// it unpacks the whole weight before the loop.
  bool barriers = true;
  /// Unpacked values that one piece of an op may hold at a time, in bytes; larger weights are
  /// unpacked piece by piece, more rows are computed chunk by chunk.
  std::int64_t piece_bytes = std::int64_t{64} << 20;
};

}  // namespace deepinfer::pjrt
