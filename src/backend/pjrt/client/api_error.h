#pragma once

// What a plug-in refused: an Error that names the call and carries the plug-in's own text.

#include <string>
#include <string_view>

#include "deepinfer/error.h"

namespace deepinfer::pjrt {

/// The codes of the PJRT C API, those of absl::Status.
enum class StatusCode {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

std::string_view name_of(StatusCode code);

class ApiError : public Error {
 public:
  /// `call` is the entry's name in the C API, `text` what the plug-in said.
  ApiError(std::string_view where, std::string_view call, StatusCode code, std::string_view text);

  StatusCode code() const noexcept { return code_; }
  const std::string& call() const noexcept { return call_; }
  /// What the plug-in said, whole: what() leaves out the middle of a long text.
  const std::string& text() const noexcept { return text_; }
  bool out_of_memory() const noexcept { return code_ == StatusCode::resource_exhausted; }

 private:
  StatusCode code_;
  std::string call_;
  std::string text_;
};

}  // namespace deepinfer::pjrt
