#include "backend/pjrt/client/compile_options.h"

#include <bit>
#include <cstdint>

#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

// Wire types of protocol buffers.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kBytes = 2;

// Field numbers of xla/pjrt/proto/compile_options.proto and of the map entries in it.
constexpr std::uint64_t kExecutableBuildOptions = 3;
constexpr std::uint64_t kNumReplicas = 4;
constexpr std::uint64_t kNumPartitions = 5;
constexpr std::uint64_t kEnvOptionOverrides = 7;
constexpr std::uint64_t kMapKey = 1;
constexpr std::uint64_t kMapValue = 2;
constexpr std::uint64_t kStringField = 1;
constexpr std::uint64_t kBoolField = 2;
constexpr std::uint64_t kIntField = 3;
constexpr std::uint64_t kDoubleField = 4;

std::string varint(std::uint64_t value) {
  std::string bytes;
  while (value >= 0x80) {
    bytes += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  return bytes += static_cast<char>(value);
}

std::string tag(std::uint64_t field, std::uint64_t wire_type) {
  return varint(field << 3 | wire_type);
}

std::string integer_field(std::uint64_t field, std::uint64_t value) {
  return tag(field, kVarint) + varint(value);
}

std::string bytes_field(std::uint64_t field, std::string_view bytes) {
  return tag(field, kBytes) + varint(bytes.size()) + std::string(bytes);
}

std::string double_field(std::uint64_t field, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string bytes = tag(field, kFixed64);
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
  return bytes;
}

std::string value_bytes(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return bytes_field(kStringField, *text);
  if (const auto* boolean = std::get_if<bool>(&value))
    return integer_field(kBoolField, *boolean ? 1 : 0);
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return integer_field(kIntField, static_cast<std::uint64_t>(*integer));
  return double_field(kDoubleField, std::get<double>(value));
}

}  // namespace

std::string compile_option_bytes(std::span<const NamedOption> overrides) {
  // Without the two counts XLA ends the process.
  std::string bytes = bytes_field(
      kExecutableBuildOptions, integer_field(kNumReplicas, 1) + integer_field(kNumPartitions, 1));
  for (const NamedOption& option : overrides)
    bytes +=
        bytes_field(kEnvOptionOverrides, bytes_field(kMapKey, option.name) +
                                             bytes_field(kMapValue, value_bytes(option.value)));
  return bytes;
}

std::vector<NamedOption> parse_compile_options(std::string_view text, std::string_view where) {
  std::vector<NamedOption> options;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      throw Error::bad_input(
          where, "not an option",
          {.expected = "name=value,name=value", .got = std::string(part), .hint = {}});
    options.push_back({.name = std::string(part.substr(0, equals)),
                       .value = option_value(part.substr(equals + 1))});
  }
  return options;
}

}  // namespace deepinfer::pjrt
