#pragma once

// What the reference ops' tests share.

#include <gtest/gtest.h>

#include "backend/op_fixture_test.h"
#include "backend/reference/reference_backend.h"

namespace deepinfer::reference {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

class ReferenceOp : public testing::Test {
 protected:
  template <typename OpStruct>
  OpRun run(const OpStruct& op, const std::vector<Given>& operands) {
    return f.run(*backend_, op, operands);
  }
  template <typename OpStruct>
  OpRun run_in_place(const OpStruct& op, const std::vector<Given>& operands) {
    return f.run_in_place(*backend_, op, operands);
  }

  OpFixture f;

 private:
  std::unique_ptr<Backend> backend_ = make_reference_backend();
};

/// `values` padded with zeros to `n`.
inline Floats padded(Floats values, std::size_t n) {
  values.resize(n);
  return values;
}

}  // namespace deepinfer::reference
