#pragma once

// Reading option values from text, strictly: the whole text must be the value, nothing is trimmed,
// rounded or cut. Every failure is an Error (bad_input) at `where` that quotes the text and says
// `accepted`. Pure functions, thread-safe.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "deepinfer/error.h"

namespace deepinfer {

/// What a value's error needs: the flag or variable it came from, and what is accepted there.
struct ValueContext {
  std::string_view where;
  std::string_view accepted;
};

/// `text` in quotes as printable_text(), cut after 80 bytes: safe in a one-line message.
std::string quoted_text(std::string_view text);

Error bad_value(const ValueContext& context, std::string_view what, std::string_view text,
                std::string hint = {});

/// Decimal, in least..most.
std::int64_t parse_integer(const ValueContext& context, std::string_view text, std::int64_t least,
                           std::int64_t most);
/// Decimal, every value of 64 bits exactly.
std::uint64_t parse_unsigned(const ValueContext& context, std::string_view text);
/// Decimal bytes with an optional K, M or G (powers of 1024), in 1..most.
std::int64_t parse_bytes(const ValueContext& context, std::string_view text, std::int64_t most);
/// Bytes in the largest unit that divides them: "4G", "1536M", "1000".
std::string bytes_text(std::int64_t bytes);
/// Finite decimal number. Range checks are the caller's.
float parse_real(const ValueContext& context, std::string_view text);
/// Shortest text that reads back as the same number.
std::string real_text(float value);
/// true, 1, on, yes, false, 0, off, no.
bool parse_bool(const ValueContext& context, std::string_view text);

}  // namespace deepinfer
