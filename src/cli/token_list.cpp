#include "cli/token_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "core/option_values.h"

namespace deepinfer::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::vector<std::int32_t> parse_token_list(std::string_view text, std::string_view where) {
  return parse_number_list(text, where, "token ids such as 1,2,3");
}

std::vector<std::int32_t> parse_number_list(std::string_view text, std::string_view where,
                                            std::string_view accepted) {
  const ValueContext context{where, accepted};
  std::string_view rest = trimmed(text);
  const bool opened = !rest.empty() && rest.front() == '[';
  const bool closed = !rest.empty() && rest.back() == ']';
  if (opened != closed) throw bad_value(context, "unbalanced bracket", text);
  if (opened) rest = trimmed(rest.substr(1, rest.size() - 2));

  std::vector<std::int32_t> ids;
  bool after_comma = false;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(", \t\r\n"), rest.size());
    ids.push_back(static_cast<std::int32_t>(
        parse_integer(context, rest.substr(0, end), 0, std::numeric_limits<std::int32_t>::max())));
    rest = trimmed(rest.substr(end));
    after_comma = !rest.empty() && rest.front() == ',';
    if (after_comma) rest = trimmed(rest.substr(1));
  }
  if (after_comma) throw bad_value(context, "a number is missing behind the last comma", text);
  return ids;
}

void check_token_ids(std::span<const std::int32_t> ids, int vocab_size, std::string_view where) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= vocab_size)
      throw Error::bad_input(fmt::format("{}[{}]", where, i), "token id is out of range",
                             {.expected = fmt::format("0 to {}", vocab_size - 1),
                              .got = std::to_string(ids[i]),
                              .hint = {}});
}

std::string to_json_list(std::span<const std::int32_t> ids) {
  return fmt::format("[{}]", fmt::join(ids, ", "));
}

}  // namespace deepinfer::cli
