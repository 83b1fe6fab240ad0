#include "backend/cpu/row_case_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference_backend.h"
#include "core/numeric_formats.h"
#include "core/quantise.h"
#include "deepinfer/error.h"

namespace deepinfer::cpu {
namespace {

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  return {begin, begin + values.size() * sizeof(T)};
}

Shape with_rows(std::size_t rows, const Shape& row_shape) {
  const auto count = static_cast<std::int64_t>(rows);
  switch (row_shape.rank()) {
    case 0:
      return {count};
    case 1:
      return {count, row_shape[0]};
    default:
      return {count, row_shape[0], row_shape[1]};
  }
}

std::vector<std::byte> choose(const std::vector<std::byte>& contents, int of,
                              const std::vector<int>& rows) {
  const std::size_t size = contents.size() / static_cast<std::size_t>(of);
  std::vector<std::byte> chosen;
  for (const int row : rows) {
    const auto begin = contents.begin() + static_cast<std::ptrdiff_t>(size) * row;
    chosen.insert(chosen.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return chosen;
}

template <typename T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void expect_close(const std::vector<std::byte>& got, const std::vector<std::byte>& expected,
                  double tolerance) {
  const auto a = values_of<float>(got);
  const auto b = values_of<float>(expected);
  ASSERT_EQ(a.size(), b.size());
  double largest = 1e-30;
  for (const float value : b) largest = std::max(largest, std::abs(static_cast<double>(value)));
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(std::isfinite(a[i])) << "element " << i << " is " << a[i];
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - b[i]));
  }
  EXPECT_LE(worst / largest, tolerance);
}

/// Whether results of an op are integers.
bool is_integral(const Op& op, std::size_t result) {
  return std::holds_alternative<IndexTopK>(op) ||
         (std::holds_alternative<Router>(op) && result == 0);
}

}  // namespace

RowCase& RowCase::floats(const std::string& name, const Shape& row_shape,
                         const std::vector<float>& values) {
  inputs_.push_back({name, DType::f32, row_shape, bytes_of(values), {}});
  return *this;
}

RowCase& RowCase::random(const std::string& name, const Shape& row_shape, float deviation) {
  std::int64_t width = 1;
  for (std::size_t axis = 0; axis < row_shape.rank(); ++axis) width *= row_shape[axis];
  return floats(name, row_shape,
                random_values(std::hash<std::string>()(name),
                              static_cast<std::size_t>(rows_ * width), deviation));
}

RowCase& RowCase::ints(const std::string& name, const Shape& row_shape,
                       const std::vector<std::int32_t>& values) {
  inputs_.push_back({name, DType::i32, row_shape, bytes_of(values), {}});
  return *this;
}

RowCase& RowCase::bytes(const std::string& name, const Shape& row_shape,
                        const std::vector<std::uint8_t>& values) {
  inputs_.push_back({name, DType::u8, row_shape, bytes_of(values), {}});
  return *this;
}

RowCase& RowCase::shared(std::function<Given(OpFixture&)> add) {
  inputs_.push_back({{}, DType::f32, {}, {}, std::move(add)});
  return *this;
}

RowCase::Outcome RowCase::run(Backend& backend, const std::vector<int>& rows, GraphMode mode,
                              bool in_place) const {
  OpFixture fixture;
  std::vector<Given> operands;
  for (const Input& input : inputs_) {
    if (input.shared) {
      operands.push_back(input.shared(fixture));
      continue;
    }
    const std::vector<std::byte> chosen = choose(input.contents, rows_, rows);
    const Shape shape = with_rows(rows.size(), input.row_shape);
    if (input.dtype == DType::f32)
      operands.push_back(fixture.activation(input.name, shape, values_of<float>(chosen)));
    else if (input.dtype == DType::i32)
      operands.push_back(fixture.integers(input.name, shape, values_of<std::int32_t>(chosen)));
    else
      operands.push_back(fixture.bytes(input.name, shape, values_of<std::uint8_t>(chosen)));
  }
  const OpRun run = in_place ? fixture.run_in_place(backend, op_, operands)
                             : fixture.run(backend, op_, operands, mode);
  Outcome outcome;
  for (std::size_t result = 0; result < run.results(); ++result)
    outcome.results.push_back(run.bytes(result));
  const int written = std::visit([](const auto& op) { return op.kWrites; }, op_);
  if (written >= 0)
    outcome.views.push_back(run.view<std::byte>(operands[static_cast<std::size_t>(written)]));
  return outcome;
}

std::vector<int> RowCase::all_rows() const {
  std::vector<int> rows(static_cast<std::size_t>(rows_));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

void RowCase::check(double tolerance, bool rows_are_independent) const {
  const auto reference = reference::make_reference_backend();
  const Outcome expected = run(*reference, all_rows());
  std::string isa;
  Outcome first;  // of this instruction set
  for (const NamedBackend& named : cpu_backends()) {
    SCOPED_TRACE(named.isa + ", " + std::to_string(named.threads) + " threads");
    const Outcome all = run(*named.backend, all_rows());
    check_against_reference(*named.backend, expected, tolerance);
    if (named.isa != isa) {
      isa = named.isa;
      first = all;
    }
    EXPECT_EQ(all.results, first.results) << "differs from one thread's";
    EXPECT_EQ(all.views, first.views);
    EXPECT_EQ(run(*named.backend, all_rows(), GraphMode::eager).results, first.results);
    const int in_place = std::visit([](const auto& op) { return op.kInPlace; }, op_);
    if (in_place >= 0) {
      EXPECT_EQ(run(*named.backend, all_rows(), GraphMode::whole, true).results, first.results)
          << "in place";
    }
    if (rows_are_independent) check_same_bits(*named.backend, all);
  }
}

void RowCase::check_against_reference(Backend& backend, const Outcome& expected,
                                      double tolerance) const {
  const Outcome got = run(backend, all_rows());
  ASSERT_EQ(got.results.size(), expected.results.size());
  for (std::size_t result = 0; result < got.results.size(); ++result) {
    SCOPED_TRACE("result " + std::to_string(result));
    if (is_integral(op_, result)) {
      EXPECT_EQ(values_of<std::int32_t>(got.results[result]),
                values_of<std::int32_t>(expected.results[result]));
    } else {
      expect_close(got.results[result], expected.results[result], tolerance);
    }
  }
  EXPECT_EQ(got.views, expected.views) << "contents of the view it writes";
}

void RowCase::check_same_bits(Backend& backend, const Outcome& all) const {
  std::vector<std::vector<int>> choices;
  choices.reserve(static_cast<std::size_t>(rows_) + 2);
  for (int row = 0; row < rows_; ++row) choices.push_back({row});
  std::vector<int> reversed = all_rows();
  std::reverse(reversed.begin(), reversed.end());
  choices.push_back(reversed);
  if (rows_ > 2) choices.push_back({rows_ - 1, 0, 0, 1, rows_ - 2});
  for (const std::vector<int>& rows : choices) {
    const Outcome some = run(backend, rows);
    for (std::size_t result = 0; result < all.results.size(); ++result)
      EXPECT_EQ(some.results[result], choose(all.results[result], rows_, rows))
          << "result " << result << " of row " << rows.front() << " among " << rows.size();
  }
}

std::vector<NamedBackend> cpu_backends() {
  std::vector<NamedBackend> backends;
  for (const char* isa : {"scalar", "avx2", "avx512", "amx"})
    for (const int threads : {1, 2, 3}) {
      try {
        backends.push_back({isa, threads, make_cpu_backend(isa, threads)});
      } catch (const Error&) {
        break;  // this machine lacks it
      }
    }
  return backends;
}

std::vector<float> random_values(std::uint64_t seed, std::size_t count, float deviation) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = round_bf16(normal(random));
  return values;
}

std::vector<std::uint8_t> random_records(Quantiser quantiser, std::uint64_t seed, std::size_t count,
                                         std::size_t width) {
  const std::vector<float> values = random_values(seed, count * width);
  const std::size_t size = record_bytes(quantiser, width);
  std::vector<std::uint8_t> records(count * size);
  for (std::size_t i = 0; i < count; ++i)
    quantise(quantiser, {values.data() + i * width, width}, records.data() + i * size);
  return records;
}

}  // namespace deepinfer::cpu
