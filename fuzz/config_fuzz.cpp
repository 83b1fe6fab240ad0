// Any text as config.json: an Error, or a config whose roles can be asked for.

#include "deepinfer/error.h"
#include "deepinfer/model_config.h"
#include "fuzz/fuzz_support.h"

using deepinfer::fuzz::require;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto config =
        deepinfer::parse_config(deepinfer::fuzz::as_text(data, size), "config.json");
    require(config.compress_ratios.size() == static_cast<size_t>(config.num_hidden_layers),
            "one ratio per backbone layer");
    for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
      require((config.ratio(layer) == 0) == (config.kv_source_of(layer) < 0),
              "a KV source exactly where there is a compressed branch");
      require(config.kv_source_of(layer) <= layer, "a KV source is not above its layer");
      require(config.index_source_of(layer) <= layer, "an index source is not above its layer");
    }
  } catch (const deepinfer::Error&) {
    // The right answer to most inputs.
  }
  return 0;
}
