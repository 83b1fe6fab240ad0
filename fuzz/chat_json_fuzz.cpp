// Any text as a chat request: an Error, or a prompt in which user text stays text.

#include <string>

#include "deepinfer/chat.h"
#include "deepinfer/error.h"
#include "fuzz/fuzz_support.h"

using deepinfer::Segment;
using deepinfer::fuzz::require;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto conversation =
        deepinfer::parse_conversation(deepinfer::fuzz::as_text(data, size), "request");
    static_cast<void>(deepinfer::declared_tools(conversation));
    static_cast<void>(deepinfer::continues_turn(conversation));
    const auto segments =
        deepinfer::encode_chat(conversation, deepinfer::chat_options(conversation));
    for (size_t i = 1; i < segments.size(); ++i) {
      require(segments[i].kind == Segment::Kind::control ||
                  segments[i - 1].kind == Segment::Kind::control,
              "neighbouring text segments are joined");
    }

    const auto& tokenizer = *deepinfer::fuzz::tiny_tokenizer();
    const auto ids = deepinfer::to_ids(segments, tokenizer, deepinfer::TokenPolicy::strict);
    size_t controls = 0;
    size_t added = 0;
    for (const auto& segment : segments) controls += segment.kind == Segment::Kind::control ? 1 : 0;
    for (const auto id : ids) added += tokenizer.is_added(id) ? 1 : 0;
    require(added == controls, "only control segments become control ids");
    static_cast<void>(deepinfer::to_ids(segments, tokenizer, deepinfer::TokenPolicy::library));
  } catch (const deepinfer::Error&) {
    // The right answer to most inputs.
  }
  return 0;
}
