#pragma once

// Configs and tokenizers of random models for timings: the released config with fewer layers,
// experts and rows. Pure functions of the files' texts.

#include <string>

namespace deepinfer {

/// The slice: every width of the released model and every role in five layers: window only; source
/// of a ratio-2 cache, behind an n-gram table; its follower; source of a ratio-1 cache and of the
/// candidate blocks; a layer that only chooses its entries anew, among the candidates. 32 experts,
/// 6 of them active, and the whole vocabulary. No draft head and no vision tower. `released` is the
/// released config.json's text, `tokenizer` the text of the tokenizer.json that goes with it.
std::string slice_config(const std::string& released, const std::string& tokenizer);

/// Three layers (window, a ratio-2 and a ratio-1 source), 24 experts and a vocabulary of 16384,
/// without n-gram tables: what bench_graphs runs.
std::string small_slice_config(const std::string& released);

/// The tokenizer.json `tokenizer` with a made-up word for every id of the config's vocabulary that
/// it does not know, so that whatever a random model says is text.
std::string whole_vocabulary(const std::string& tokenizer, const std::string& config);

}  // namespace deepinfer
