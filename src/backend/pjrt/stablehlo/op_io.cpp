#include "backend/pjrt/stablehlo/op_io.h"

#include <fmt/format.h>

#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

Error missing(std::size_t index, std::string_view sort) {
  return ill_typed("op", fmt::format("has another operand {}", index), std::string(sort),
                   "something else");
}

}  // namespace

const Val& OpIo::in(std::size_t index) const {
  if (!has(index) || !operands_[index].value) throw missing(index, "a value");
  return *operands_[index].value;
}

const WeightVal& OpIo::weight(std::size_t index) const {
  if (!has(index) || !operands_[index].weight) throw missing(index, "a weight");
  return *operands_[index].weight;
}

const CacheVal& OpIo::cache(std::size_t index) const {
  if (!has(index) || !operands_[index].cache) throw missing(index, "a cache view");
  return *operands_[index].cache;
}

}  // namespace deepinfer::pjrt
