#include "deepinfer/error.h"

namespace deepinfer {
namespace {

std::string error_text(std::string_view where, std::string_view what, const ErrorDetail& detail) {
  std::string text = "[" + std::string(where) + "] " + std::string(what);
  if (!detail.expected.empty()) text += ", expected " + detail.expected;
  if (!detail.got.empty()) text += ", got " + detail.got;
  if (!detail.hint.empty()) text += ", " + detail.hint;
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
