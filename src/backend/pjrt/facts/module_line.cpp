#include "backend/pjrt/facts/module_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace deepinfer::pjrt {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// From `begin` as long as `keeps` holds.
template <typename Predicate>
std::string_view take(std::string_view line, std::size_t begin, Predicate keeps) {
  std::size_t end = begin;
  while (end < line.size() && keeps(line[end])) ++end;
  return line.substr(begin, end - begin);
}

/// "2x3xf32" in pieces.
TypeText parse_type(std::string_view inside) {
  TypeText type;
  while (!inside.empty()) {
    const bool unknown = inside.front() == '?';
    const std::size_t extent = unknown ? 1 : take(inside, 0, is_digit).size();
    if (extent == 0 || extent >= inside.size() || inside[extent] != 'x') break;
    type.dynamic |= unknown;
    inside.remove_prefix(extent + 1);
  }
  const std::size_t encoding = inside.find(',');
  type.dynamic |= encoding != std::string_view::npos || inside.find('*') != std::string_view::npos;
  type.element = inside.substr(0, encoding);
  return type;
}

/// What stands between the brackets of every tensor type.
std::vector<std::string_view> insides_of(std::string_view line) {
  constexpr std::string_view kOpen = "tensor<";
  std::vector<std::string_view> insides;
  for (std::size_t at = line.find(kOpen); at != std::string_view::npos;
       at = line.find(kOpen, at + 1)) {
    const std::size_t begin = at + kOpen.size();
    std::size_t end = begin;
    for (int depth = 1; end < line.size(); ++end) {
      if (line[end] == '<') ++depth;
      if (line[end] == '>' && --depth == 0) break;
    }
    insides.push_back(line.substr(begin, end - begin));
  }
  return insides;
}

}  // namespace

std::vector<TypeText> types_of(std::string_view line) {
  std::vector<TypeText> types;
  for (const std::string_view inside : insides_of(line)) types.push_back(parse_type(inside));
  return types;
}

std::vector<ShapeText> shapes_of(std::string_view line) {
  std::vector<ShapeText> shapes;
  for (std::string_view inside : insides_of(line)) {
    ShapeText shape;
    std::int64_t extent = 0;
    while (true) {
      const auto [end, fault] =
          std::from_chars(inside.data(), inside.data() + inside.size(), extent);
      const auto length = static_cast<std::size_t>(end - inside.data());
      if (fault != std::errc() || !inside.substr(length).starts_with('x')) break;
      shape.dims.push_back(extent);
      inside.remove_prefix(length + 1);
    }
    shape.element = inside;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::string_view trimmed_line(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string_view> ops_of(std::string_view line) {
  constexpr std::array<std::string_view, 3> kDialects = {"stablehlo.", "chlo.", "func.call"};
  std::vector<std::string_view> ops;
  for (std::size_t at = 0; at < line.size(); ++at) {
    // "#stablehlo.gather<" is an attribute; inside a name it is part of that.
    if (at > 0 && (is_name(line[at - 1]) || line[at - 1] == '#' || line[at - 1] == '%')) continue;
    const auto begins = [&](std::string_view name) { return line.substr(at).starts_with(name); };
    if (std::none_of(kDialects.begin(), kDialects.end(), begins)) continue;
    ops.push_back(take(line, at, is_name));
  }
  return ops;
}

NamesOfLine names_of(std::string_view line) {
  NamesOfLine names;
  for (std::size_t at = line.find('%'); at != std::string_view::npos; at = line.find('%', at + 1)) {
    const std::string_view name = take(line, at + 1, is_name);
    std::string_view rest = line.substr(at + 1 + name.size());
    const bool argument = rest.starts_with(": tensor<");
    if (rest.starts_with(":")) rest.remove_prefix(1 + take(rest, 1, is_digit).size());
    (argument || rest.starts_with(" = ") ? names.defined : names.used).push_back(name);
  }
  return names;
}

}  // namespace deepinfer::pjrt
