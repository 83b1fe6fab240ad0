#pragma once

// Checks the parts of a tokenizer.json around the BPE model: normalizer, pre-tokenizer,
// post-processor and decoder must be the ones that the engine implements.

#include "text/tokenizer_json_field.h"

namespace deepinfer {

/// Throws Error (bad_input) that names the field which differs.
void check_tokenizer_pipeline(const TokenizerJsonField& document);

}  // namespace deepinfer
