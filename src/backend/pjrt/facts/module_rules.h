#pragma once

// What a plug-in's compiler is known to refuse, and a check of module text against it, without the
// device.
//
// The check reads modules as module_writer.h writes them and is strict: a line that it does not
// understand is a violation, too. Pure functions.

#include <string>
#include <string_view>
#include <vector>

namespace deepinfer::pjrt {

struct ModuleRules {
  std::vector<std::string_view> refused_ops = {};    ///< "stablehlo.case"
  std::vector<std::string_view> refused_types = {};  ///< element types: "f8E4M3FN"
  /// Directions that a sort may compare by. Empty: any.
  std::vector<std::string_view> sort_directions = {};
  bool static_loops = false;       ///< loops count to a constant
  bool single_reductions = false;  ///< a reduction has one operand
  bool flag_reductions = true;     ///< reductions of i1
  bool integer_products = true;    ///< products of integers
  bool byte_shifts = true;         ///< shifts of types under 32 bits
};

struct Violation {
  int line = 0;      ///< of the text, from 1
  std::string what;  ///< "refused op stablehlo.case"
};

/// Every violation of `rules`, by line. Dynamic shapes, unknown custom calls and lines that are
/// not understood always are.
std::vector<Violation> check_module(std::string_view text, const ModuleRules& rules);

}  // namespace deepinfer::pjrt
