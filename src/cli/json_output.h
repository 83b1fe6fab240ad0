#pragma once

// JSON results as text: two-space indented, one line break at the end, invalid UTF-8 replaced. For
// .cpp files that already use the JSON library.

#include <nlohmann/json.hpp>
#include <string>

namespace deepinfer::cli {

using Json = nlohmann::ordered_json;

inline std::string to_text(const Json& json) {
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deepinfer::cli
