#pragma once

// The written form of JSON numbers (prompting specification 2.1).

#include <string>
#include <string_view>

namespace deepinfer {

/// Python's repr of a float: shortest digits that read back equal, exponent form below 1e-4 and
/// from 1e16 on.
std::string python_float(double value);

/// Canonical text of a number token that follows JSON's grammar: integers of any size verbatim
/// (`-0` is `0`), everything with `.`, `e` or `E` as python_float.
std::string canonical_number(std::string_view token);

}  // namespace deepinfer
