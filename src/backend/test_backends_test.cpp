#include "backend/test_backends_test.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference_backend.h"
#include "deepinfer/error.h"

namespace deepinfer {

std::vector<std::string> backend_names() {
  std::vector<std::string> names = {"reference"};
  for (const char* isa : {"scalar", "avx2", "avx512", "amx"}) {
    try {
      cpu::make_cpu_backend(isa, 1);
      names.emplace_back(isa);
    } catch (const Error&) {
      break;  // each contains the one before
    }
  }
  return names;
}

std::unique_ptr<Backend> backend_named(const std::string& name, int threads) {
  return name == "reference" ? reference::make_reference_backend()
                             : cpu::make_cpu_backend(name, threads);
}

double tolerance_of(const std::string& backend) { return backend == "reference" ? 2e-6 : 2e-5; }

double bf16_tolerance_of(const std::string& backend) {
  return backend == "reference" ? 2e-6 : 1.0 / 128;
}

testing::AssertionResult is_close(const std::vector<float>& actual,
                                  const std::vector<float>& expected, double tolerance) {
  if (actual.size() != expected.size())
    return testing::AssertionFailure()
           << actual.size() << " elements instead of " << expected.size();
  double largest = 0;
  for (const float value : expected) largest = std::max(largest, std::fabs(double{value}));
  std::size_t worst = 0;
  double distance = -1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = std::fabs(double{actual[i]} - double{expected[i]});
    if (std::isnan(d) || d > distance) {
      worst = i;
      distance = d;
    }
    if (std::isnan(d)) break;
  }
  if (distance <= tolerance * largest) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "element " << worst << " is " << actual[worst] << " instead of " << expected[worst]
         << ": off by " << distance / largest << " of the largest (" << largest << "), allowed "
         << tolerance;
}

}  // namespace deepinfer
