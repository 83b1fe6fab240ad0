#pragma once

// The one error type of DeepInfer.
//
// Every fault, whatever its layer, is thrown as an Error (or a subclass of it) whose text reads
//   [where] what, expected N, got M, hint
// escaped for a terminal, long parts cut. An Error owns its text and may cross threads.

#include <stdexcept>
#include <string>
#include <string_view>

namespace deepinfer {

/// Optional parts of an error's text. Empty parts are left out.
struct ErrorDetail {
  std::string expected;
  std::string got;
  std::string hint;
};

class Error : public std::runtime_error {
 public:
  enum class Kind {
    bad_input,  ///< the caller's file, flag or request is at fault (exit code 2)
    failed,     ///< the work itself failed: disk full, device lost (exit code 1)
  };

  Error(Kind kind, std::string_view where, std::string_view what, const ErrorDetail& detail = {});

  static Error bad_input(std::string_view where, std::string_view what,
                         const ErrorDetail& detail = {});
  static Error failed(std::string_view where, std::string_view what,
                      const ErrorDetail& detail = {});

  Kind kind() const noexcept { return kind_; }
  /// Where it happened: a file, a flag, an op, a request field; as it was given, not escaped.
  const std::string& where() const noexcept { return where_; }

 private:
  Kind kind_;
  std::string where_;
};

}  // namespace deepinfer
