#include "backend/pjrt/compile_failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "backend/pjrt/device_full.h"

namespace deepinfer::pjrt {
namespace {

// What an Error shows of a part is about twice this: it leaves out the middle, and this is the end.
constexpr std::size_t kMostBytes = 200;
constexpr std::size_t kMostLines = 5;

std::size_t bytes_of(const std::vector<NamedType>& tensors) {
  std::size_t sum = 0;
  for (const NamedType& tensor : tensors) sum += tensor.type.bytes();
  return sum;
}

/// Without the white space at its ends.
std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

std::string last_lines(std::string_view text) {
  std::vector<std::string_view> lines;  // the last first
  std::size_t bytes = 0;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::size_t at = text.rfind('\n');
    const std::size_t begin = at == std::string_view::npos ? 0 : at + 1;
    const std::string_view line = trimmed(text.substr(begin));
    text = text.substr(0, at == std::string_view::npos ? 0 : at);
    if (line.empty()) continue;
    if (!lines.empty() && bytes + line.size() > kMostBytes) break;
    bytes += line.size();
    lines.push_back(line);
  }
  std::reverse(lines.begin(), lines.end());
  return lines.empty() ? "no text from the plug-in" : fmt::format("{}", fmt::join(lines, " | "));
}

std::string types_of(const Signature& signature) {
  std::vector<std::string> parameters;
  std::vector<std::string> results;
  for (const NamedType& parameter : signature.parameters)
    parameters.push_back(parameter.name + " " + parameter.type.text());
  for (const NamedType& result : signature.results) results.push_back(result.type.text());
  return fmt::format("({}) -> ({})", fmt::join(parameters, ", "), fmt::join(results, ", "));
}

Error compile_failure(const Signature& signature, const ApiError& fault) {
  return Error::failed(signature.name,
                       fmt::format("{} failed twice with {}: {}", fault.call(),
                                   name_of(fault.code()), last_lines(fault.text())),
                       {.expected = {}, .got = {}, .hint = types_of(signature)});
}

Error no_room_for(const Signature& signature, const ApiError& fault,
                  const std::optional<DeviceMemory>& counted) {
  std::string limit;
  if (counted.has_value() && counted->limit.has_value())
    limit = fmt::format("at most {} bytes", *counted->limit);
  std::string got;
  if (counted.has_value()) got = fmt::format("{} in use + ", counted->in_use);
  got += fmt::format("arguments {} + results {} + what it works in", bytes_of(signature.parameters),
                     bytes_of(signature.results));
  return Error::failed(
      "device memory",
      fmt::format("is full at '{}', {}: {}", signature.name, fault.call(),
                  last_lines(fault.text())),
      {.expected = std::move(limit), .got = std::move(got), .hint = std::string(kLessForPrograms)});
}

}  // namespace deepinfer::pjrt
