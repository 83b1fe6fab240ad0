#include "backend/pjrt/stablehlo/writer_checks.h"

#include <fmt/format.h>

namespace deepinfer::pjrt {

Error ill_typed(std::string_view op, std::string_view what, const std::string& expected,
                const std::string& got) {
  return Error::failed("stablehlo", fmt::format("{} {}", op, what),
                       {.expected = expected, .got = got, .hint = ""});
}

void require_dims(std::string_view op, const Val& value, const Dims& expected) {
  if (value.dims != expected)
    throw ill_typed(op, "has an operand of other extents", tensor_type(value.type, expected),
                    value.type_text());
}

void require_rank(std::string_view op, const Val& value, std::size_t rank) {
  if (value.dims.size() != rank)
    throw ill_typed(op, "has an operand of another rank", std::to_string(rank) + " axes",
                    value.type_text());
}

void require_axis(std::string_view op, const Val& value, std::size_t axis) {
  if (axis >= value.dims.size())
    throw ill_typed(op, "names an axis that is not there",
                    fmt::format("less than {}", value.dims.size()), std::to_string(axis));
}

void require_type(std::string_view op, const Val& value, Element expected) {
  if (value.type != expected)
    throw ill_typed(op, "has an operand of another type", std::string(name_of(expected)),
                    value.type_text());
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace deepinfer::pjrt
