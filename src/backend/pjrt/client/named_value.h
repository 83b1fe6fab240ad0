#pragma once

// Named values as they go into a plug-in (client and compiler options) and come out of it
// (attributes of plug-ins and devices).

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace deepinfer::pjrt {

using OptionValue = std::variant<std::string, bool, std::int64_t, double>;

struct NamedOption {
  std::string name;
  OptionValue value;
};

/// `text` as the narrowest value it spells: true or false, an integer, a number, else text.
OptionValue option_value(std::string_view text);

struct Attribute {
  std::string name;
  std::string value;  ///< lists: versions joined by ".", others by ","
};

/// The attribute's value, empty if there is none of that name.
std::string value_of(const std::vector<Attribute>& attributes, std::string_view name);

}  // namespace deepinfer::pjrt
