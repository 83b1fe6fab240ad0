#include "backend/pjrt/client/api_error.h"

#include <array>

namespace deepinfer::pjrt {
namespace {

// In the order of StatusCode.
constexpr std::array<std::string_view, 17> kNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

std::string what_text(std::string_view call, StatusCode code, std::string_view text) {
  return std::string(call) + " failed with " + std::string(name_of(code)) + ": " +
         (text.empty() ? "no text from the plug-in" : std::string(text));
}

}  // namespace

std::string_view name_of(StatusCode code) {
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames.at(index) : "an unknown code";
}

ApiError::ApiError(std::string_view where, std::string_view call, StatusCode code,
                   std::string_view text)
    : Error(Kind::failed, where, what_text(call, code, text),
            {.expected = {},
             .got = {},
             .hint = code == StatusCode::resource_exhausted ? "the device lacks the memory for it"
                                                            : ""}),
      code_(code),
      call_(call),
      text_(text) {}

}  // namespace deepinfer::pjrt
