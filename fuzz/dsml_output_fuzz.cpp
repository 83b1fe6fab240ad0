// Any bytes as a model's output: every byte is accounted for, and the cuts do not matter.
//
// The first byte holds the options, the second the size of the chunks; the rest is the output.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "text/output_parser.h"
#include "text/utf8.h"

namespace {

using deepinfer::OutputEvent;
using deepinfer::OutputOptions;
using deepinfer::OutputParser;
using deepinfer::fuzz::require;

/// The events of a text cut into chunks, neighbouring pieces of one kind joined.
std::vector<OutputEvent> parse(const OutputOptions& options, std::string_view text, size_t chunk) {
  OutputParser parser(options);
  std::vector<OutputEvent> joined;
  const auto append = [&joined](const std::vector<OutputEvent>& events) {
    for (const auto& event : events) {
      const bool continues = !joined.empty() && joined.back().kind == event.kind &&
                             joined.back().call == event.call && !event.text.empty();
      if (continues) {
        joined.back().text += event.text;
      } else {
        joined.push_back(event);
      }
    }
  };
  for (size_t at = 0; at < text.size(); at += chunk) append(parser.push(text.substr(at, chunk)));
  append(parser.finish());
  require(parser.account().total() == text.size(), "every byte is accounted for");
  require(parser.held() == 0, "nothing is held back at the end");
  return joined;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  OutputOptions options;
  options.starts_in_thinking = (data[0] & 1) != 0;
  options.parse_tools = (data[0] & 2) != 0;
  options.continues_content = (data[0] & 4) != 0;
  options.tool_names = {"get_weather", "search"};
  const size_t chunk = 1 + (data[1] % 32);
  // The parser's input comes from a detokenizer and is UTF-8.
  const std::string text = deepinfer::repair_utf8(deepinfer::fuzz::as_text(data + 2, size - 2));

  const auto whole = parse(options, text, std::max<size_t>(text.size(), 1));
  require(!whole.empty() && whole.back().kind == OutputEvent::Kind::done, "done comes last");
  require(parse(options, text, chunk) == whole, "the events do not depend on the cuts");
  return 0;
}
