#pragma once

// What a JSON library's message says, without the library's own tag in front.

#include <string>
#include <string_view>

namespace deepinfer {

/// "[json.exception.parse_error.101] parse error at …" becomes "parse error at …".
inline std::string json_problem(std::string_view message) {
  if (message.starts_with("[json.exception"))
    if (const std::size_t end = message.find("] "); end != std::string_view::npos)
      message.remove_prefix(end + 2);
  return std::string(message);
}

}  // namespace deepinfer
