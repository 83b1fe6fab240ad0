// Any text as tokenizer.json: an Error, or a tokenizer that works.

#include <string>

#include "deepinfer/error.h"
#include "deepinfer/tokenizer.h"
#include "fuzz/fuzz_support.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto tokenizer =
        deepinfer::Tokenizer::parse(deepinfer::fuzz::as_text(data, size), "tokenizer.json");
    const auto ids = tokenizer->encode("Hello, \xC3\xA9t\xC3\xA9 123\n", true);
    for (const auto id : ids) {
      deepinfer::fuzz::require(id >= 0 && id < tokenizer->vocab_size(), "an id is in range");
    }
    static_cast<void>(tokenizer->decode(ids));
  } catch (const deepinfer::Error&) {
    // The right answer to most inputs.
  }
  return 0;
}
