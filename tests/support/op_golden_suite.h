#pragma once

// Base of the tests that run the op-level goldens on every backend of the machine; the parameter is
// the backend's name.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "src/backend/op_fixture_test.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/golden_file.h"

namespace deepinfer {

class OpGoldenSuite : public testing::TestWithParam<std::string> {
 protected:
  OpGoldenSuite() : backend_(backend_named(GetParam())) {}

  static const GoldenFile& goldens() {
    static const GoldenFile file("tests/data/goldens/ops/ops.safetensors");
    return file;
  }
  /// Of the golden's largest element, whatever its values are rounded to.
  static constexpr double kGoldenTolerance = 2e-6;
  static std::vector<float> golden(const std::string& name) { return goldens().f32(name); }

  Backend& backend() { return *backend_; }
  bool is_reference() const { return GetParam() == "reference"; }

  /// A golden as an activation, in its own shape or in `shape`.
  Given activation(const std::string& name) {
    return fixture.activation(name, goldens().shape(name), golden(name));
  }
  Given activation(const std::string& name, const Shape& shape) {
    return fixture.activation(name, shape, golden(name));
  }
  Given plain_weight(const std::string& name) {
    return fixture.plain_weight(name, goldens().shape(name), golden(name));
  }

  void expect_golden(const std::vector<float>& actual, const std::string& name) const {
    EXPECT_TRUE(is_close(actual, golden(name), kGoldenTolerance)) << name;
  }

  OpFixture fixture;

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace deepinfer
