#pragma once

// What the fake plug-in understands of a module: the types of its parameters and results, and which
// results take over a parameter.

#include <pjrt_c_api.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace deepinfer::pjrt::fake {

struct Tensor {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
  std::vector<std::int64_t> dims;
  int alias = -1;  // of a parameter: the result that takes it over

  std::size_t bytes() const;
};

struct ProgramTypes {
  std::vector<Tensor> parameters;
  std::vector<Tensor> results;
};

/// Of @main in `code`. Without a list of results: one f32[2,2], which takes over a parameter of
/// that type where the text says tf.aliasing_output.
ProgramTypes types_in(std::string_view code);

}  // namespace deepinfer::pjrt::fake
