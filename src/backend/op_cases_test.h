#pragma once

// Random cases of every op, and their comparison with the reference: one table for every backend.

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

/// A number of rows from 1 to 40, drawn anew in every run; a failure names it.
std::int64_t random_rows();

/// The graph that the fixture runs, for its results' types.
Graph graph_of(OpFixture& fixture, const BuiltCase& built, std::int64_t rows);

/// Runs the case on `backend` and on the reference and expects equal integers, cache records and
/// states, and results within the tolerance of fp32 sums in another order.
void expect_like_reference(Backend& backend, const OpCase& op_case, std::int64_t rows,
                           GraphMode mode);

}  // namespace deepinfer::test
