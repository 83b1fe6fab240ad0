#include "tests/support/fake_pjrt/program_text.h"

#include <cstdlib>
#include <string>

#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

constexpr std::string_view kAlias = "tf.aliasing_output = ";

PJRT_Buffer_Type type_named(std::string_view name) {
  if (name == "f32") return PJRT_Buffer_Type_F32;
  if (name == "i32") return PJRT_Buffer_Type_S32;
  if (name == "ui32") return PJRT_Buffer_Type_U32;
  if (name == "i64") return PJRT_Buffer_Type_S64;
  if (name == "bf16") return PJRT_Buffer_Type_BF16;
  if (name == "f16") return PJRT_Buffer_Type_F16;
  return PJRT_Buffer_Type_U8;
}

/// "4x6xf32"
Tensor tensor_of(std::string_view text) {
  Tensor tensor;
  for (std::size_t x = text.find('x'); x != std::string_view::npos; x = text.find('x')) {
    tensor.dims.push_back(std::atoll(std::string(text.substr(0, x)).c_str()));
    text.remove_prefix(x + 1);
  }
  tensor.type = type_named(text);
  return tensor;
}

std::vector<Tensor> tensors_in(std::string_view list) {
  constexpr std::string_view kBegin = "tensor<";
  std::vector<Tensor> tensors;
  for (std::size_t at = list.find(kBegin); at != std::string_view::npos; at = list.find(kBegin)) {
    list.remove_prefix(at + kBegin.size());
    tensors.push_back(tensor_of(list.substr(0, list.find('>'))));
    const std::size_t alias = list.find(kAlias);
    if (alias < list.find(kBegin))
      tensors.back().alias = std::atoi(std::string(list.substr(alias + kAlias.size(), 8)).c_str());
  }
  return tensors;
}

}  // namespace

std::size_t Tensor::bytes() const {
  std::size_t count = element_bytes(type);
  for (const std::int64_t extent : dims) count *= static_cast<std::size_t>(extent);
  return count;
}

ProgramTypes types_in(std::string_view code) {
  const std::string_view main = code.substr(code.find("@main"));
  const std::size_t arrow = main.find(") -> (");
  if (arrow == std::string_view::npos) {
    const bool aliases = code.find(kAlias) != std::string_view::npos;
    return {.parameters = {{.dims = {2, 2}, .alias = aliases ? 0 : -1}},
            .results = {{.dims = {2, 2}}}};
  }
  const std::string_view results = main.substr(arrow);
  return {.parameters = tensors_in(main.substr(0, arrow)),
          .results = tensors_in(results.substr(0, results.find('{')))};
}

}  // namespace deepinfer::pjrt::fake
