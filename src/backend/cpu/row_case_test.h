#pragma once

// What every test of a row kernel does: the cpu backends of this machine, for 1 to 3 threads,
// against the reference, and against themselves over fewer rows ("same bits").

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/op_fixture_test.h"

namespace deepinfer::cpu {

/// One op with its inputs, of which any choice of rows can be run.
class RowCase {
 public:
  RowCase(Op op, int rows) : op_(std::move(op)), rows_(rows) {}

  /// An input with one row of `row_shape` per row of the step.
  RowCase& floats(const std::string& name, const Shape& row_shape,
                  const std::vector<float>& values);
  RowCase& random(const std::string& name, const Shape& row_shape, float deviation = 1);
  RowCase& ints(const std::string& name, const Shape& row_shape,
                const std::vector<std::int32_t>& values);
  RowCase& bytes(const std::string& name, const Shape& row_shape,
                 const std::vector<std::uint8_t>& values);
  /// An input that all rows share.
  RowCase& shared(std::function<Given(OpFixture&)> add);

  struct Outcome {
    std::vector<std::vector<std::byte>> results;
    std::vector<std::vector<std::byte>> views;  ///< of the shared inputs that are views
  };
  Outcome run(Backend& backend, const std::vector<int>& rows, GraphMode mode = GraphMode::whole,
              bool in_place = false) const;
  std::vector<int> all_rows() const;

  /// All checks. `tolerance` is relative to the largest element of a result; integers and views
  /// must be equal.
  void check(double tolerance, bool rows_are_independent = true) const;

 private:
  struct Input {
    std::string name;
    DType dtype;
    Shape row_shape;
    std::vector<std::byte> contents;          // of all rows
    std::function<Given(OpFixture&)> shared;  // or this
  };
  void check_against_reference(Backend& backend, const Outcome& expected, double tolerance) const;
  void check_same_bits(Backend& backend, const Outcome& all) const;

  Op op_;
  int rows_;
  std::vector<Input> inputs_;
};

struct NamedBackend {
  std::string isa;
  int threads;
  std::unique_ptr<Backend> backend;
};

/// Every instruction set of this machine with 1, 2 and 3 threads.
std::vector<NamedBackend> cpu_backends();

/// `count` values, normally distributed and exact in bf16.
std::vector<float> random_values(std::uint64_t seed, std::size_t count, float deviation = 1);

/// Records of `count` random vectors of `width`, one after the other.
std::vector<std::uint8_t> random_records(Quantiser quantiser, std::uint64_t seed, std::size_t count,
                                         std::size_t width);

}  // namespace deepinfer::cpu
