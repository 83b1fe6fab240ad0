#pragma once

// The case file of `deepinfer eval`: a JSON list of {"id", "prompt" or "tokens", "expect", …}.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer::cli {

struct EvalCase {
  std::string id;  ///< "id", else the case's index
  /// One of these at least; if both, the tokens are what runs.
  std::optional<std::vector<std::int32_t>> tokens;
  std::optional<std::string> prompt;
  std::string expect;
};

/// Other keys are ignored. Throws Error (bad_input) at `where`[index].field.
std::vector<EvalCase> parse_cases(std::string_view json_text, const std::string& where);

}  // namespace deepinfer::cli
