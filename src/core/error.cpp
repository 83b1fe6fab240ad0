#include "deepinfer/error.h"

#include "core/printable_text.h"

namespace deepinfer {
namespace {

constexpr std::size_t kLongestPart = 400;  // bytes: a whole message is a few lines of a terminal

std::string part(std::string_view text) { return printable_text(text, kLongestPart); }

std::string error_text(std::string_view where, std::string_view what, const ErrorDetail& detail) {
  std::string text = "[" + part(where) + "] " + part(what);
  if (!detail.expected.empty()) text += ", expected " + part(detail.expected);
  if (!detail.got.empty()) text += ", got " + part(detail.got);
  if (!detail.hint.empty()) text += ", " + part(detail.hint);
  return text;
}

}  // namespace

Error::Error(Kind kind, std::string_view where, std::string_view what, const ErrorDetail& detail)
    : std::runtime_error(error_text(where, what, detail)), kind_(kind), where_(where) {}

Error Error::bad_input(std::string_view where, std::string_view what, const ErrorDetail& detail) {
  return {Kind::bad_input, where, what, detail};
}

Error Error::failed(std::string_view where, std::string_view what, const ErrorDetail& detail) {
  return {Kind::failed, where, what, detail};
}

}  // namespace deepinfer
