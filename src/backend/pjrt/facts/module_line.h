#pragma once

// Module text line by line, and one line in pieces: for the checks of a module.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer::pjrt {

/// Without blanks around it.
std::string_view trimmed_line(std::string_view line);

/// A tensor type as it is spelled.
struct TypeText {
  std::string_view element;
  bool dynamic = false;  ///< an extent is not a number, or an encoding says that it is a bound
};

/// Every tensor type of the line, in order.
std::vector<TypeText> types_of(std::string_view line);

/// Extents, too; of a dynamic one those before it.
struct ShapeText {
  std::string_view element;
  std::vector<std::int64_t> dims;
};
std::vector<ShapeText> shapes_of(std::string_view line);

/// Calls `read`(line) for every line of a text in order, without blanks around it.
template <typename Read>
void for_each_line(std::string_view text, const Read& read) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read(trimmed_line(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Every op that the line names, in order, those of regions inside included: "stablehlo.add".
std::vector<std::string_view> ops_of(std::string_view line);

struct NamesOfLine {
  std::vector<std::string_view> defined;  ///< results, parameters, arguments of regions
  std::vector<std::string_view> used;
};
/// Names of values, without "%" and "#0".
NamesOfLine names_of(std::string_view line);

}  // namespace deepinfer::pjrt
