#pragma once

// Lists of token ids, and of other whole numbers, as a person writes them. Pure functions.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/error.h"

namespace deepinfer::cli {

/// Non-negative whole numbers between commas or blanks, with or without [ ] around them: "1,2,3",
/// "[1, 2, 3]", one per line. Throws Error (bad_input) at `where` quoting what is no number and
/// saying `accepted`.
std::vector<std::int32_t> parse_number_list(std::string_view text, std::string_view where,
                                            std::string_view accepted);

/// The same, of token ids.
std::vector<std::int32_t> parse_token_list(std::string_view text, std::string_view where);

/// Throws Error (bad_input) at `where`[index] naming the first id outside 0..vocab_size-1.
void check_token_ids(std::span<const std::int32_t> ids, int vocab_size, std::string_view where);

/// "[1, 2, 3]"
std::string to_json_list(std::span<const std::int32_t> ids);

}  // namespace deepinfer::cli
