#include "checkpoint/dtype_names.h"

#include <array>
#include <utility>

namespace deepinfer {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 9> kDiskNames{{
    {"F32", DType::f32},
    {"F16", DType::f16},
    {"BF16", DType::bf16},
    {"F8_E4M3", DType::f8_e4m3},
    {"F8_E8M0", DType::f8_e8m0},
    {"U8", DType::u8},
    {"I8", DType::i8},
    {"I32", DType::i32},
    {"I64", DType::i64},
}};

}  // namespace

std::optional<DType> dtype_from_disk_name(std::string_view name) {
  for (const auto& [text, type] : kDiskNames) {
    if (text == name) return type;
  }
  return std::nullopt;
}

std::string_view disk_name_of(DType type) {
  for (const auto& [text, candidate] : kDiskNames) {
    if (candidate == type) return text;
  }
  return "?";
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

std::string dtype_shape_text(DType type, std::span<const std::int64_t> shape) {
  return std::string(disk_name_of(type)) + " " + shape_text(shape);
}

std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace deepinfer
