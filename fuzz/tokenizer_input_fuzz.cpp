// Any bytes as text to tokenize: ids that decode to the text again, in one piece and streamed.

#include <string>

#include "deepinfer/tokenizer.h"
#include "fuzz/fuzz_support.h"
#include "text/utf8.h"

using deepinfer::fuzz::require;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto& tokenizer = deepinfer::fuzz::tiny_tokenizer();
  const std::string_view text = deepinfer::fuzz::as_text(data, size);
  const std::string repaired = deepinfer::repair_utf8(text);
  for (const bool added_tokens : {false, true}) {
    const auto ids = tokenizer->encode(text, added_tokens);
    for (const auto id : ids) {
      require(id >= 0 && id < tokenizer->vocab_size(), "an id is in range");
      require(added_tokens || !tokenizer->is_added(id), "ordinary text gives no added token");
    }
    require(tokenizer->decode(ids) == repaired, "decode gives the repaired text");

    deepinfer::Detokenizer detokenizer(tokenizer);
    std::string streamed;
    for (const auto id : ids) {
      const std::string part = detokenizer.push(id);
      require(deepinfer::is_valid_utf8(part), "a streamed part is whole characters");
      streamed += part;
    }
    streamed += detokenizer.flush();
    require(streamed == repaired, "streaming gives the same text");
  }
  return 0;
}
