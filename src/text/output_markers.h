#pragma once

// Recognises the mark-up of a model's output at the front of a text, in all spellings that models
// of this family produce (prompting specification 2.11, 3.2):
//   the marker with U+FF5C or ASCII bars, one or two on each side, with or without a space behind;
//   the block named `calls`, `tool_calls` or `function_calls`.
//
// Pure functions; a partial text is told apart from a mismatch, so callers hold back no more than
// they must.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

enum class Marker {
  think_open,       // <think>
  think_close,      // </think>
  block_open,       // <D calls>
  block_close,      // </D calls>
  invoke_open,      // <D invoke name="
  invoke_declared,  // the same, with one of the given names and its closing quote behind it
  invoke_close,     // </D invoke>
  parameter_open,   // <D parameter name="
  parameter_close,  // </D parameter>
  any_close,        // </D
};

enum class MatchState { none, partial, full };

struct MarkerMatch {
  MatchState state = MatchState::none;
  std::size_t length = 0;  ///< bytes of a full match; invoke_declared counts up to the name only
};

/// Whether `text` begins with the marker, or may do so once more text comes. `names` serves
/// invoke_declared.
MarkerMatch match_marker(Marker marker, std::string_view text,
                         const std::vector<std::string>& names);

}  // namespace deepinfer
