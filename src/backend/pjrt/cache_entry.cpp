#include "backend/pjrt/cache_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/sha256.h"

namespace deepinfer::pjrt {
namespace {

// A number of its own for every form that an entry ever has.
constexpr std::string_view kFormat = "deepinfer compiled program 1";

/// Cuts the first line off `text`; all of it if it has no end.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string entry_header(std::string_view key, std::span<const std::byte> bytes) {
  return fmt::format("{}\n{}\n{}\n{}\n", kFormat, key, bytes.size(), sha256(bytes));
}

EntryContent read_entry(std::string_view key, std::span<const std::byte> file) {
  std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
  if (next_line(rest) != kFormat) return {.bytes = {}, .fault = "it does not begin as one"};
  if (next_line(rest) != key) return {.bytes = {}, .fault = "it is that of another program"};
  const std::string_view length = next_line(rest);
  const std::string_view checksum = next_line(rest);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(rest));
  if (length != std::to_string(bytes.size()))
    return {.bytes = {}, .fault = "it is not as long as it says"};
  if (checksum != sha256(bytes)) return {.bytes = {}, .fault = "its checksum is another"};
  return {.bytes = bytes, .fault = {}};
}

}  // namespace deepinfer::pjrt
