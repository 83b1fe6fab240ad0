#pragma once

// Random cases of every op, for comparing one way of running graphs with another.

#include <string>
#include <vector>

#include "backend/op_fixture_test.h"

namespace deepinfer::test {

struct BuiltCase {
  Op op;
  std::vector<Given> operands;
};

struct OpCase {
  std::string name;
  /// Fills `fixture` with operands of `rows` rows.
  BuiltCase (*build)(OpFixture& fixture, std::int64_t rows);
  bool bf16 = false;  ///< results are rounded to bf16
};

/// At least one case of every op, and one of each numerics of those that have two.
std::vector<OpCase> op_cases();

}  // namespace deepinfer::test
