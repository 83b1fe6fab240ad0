#pragma once

// From the sequences of a step to its metadata buffers.

#include <span>

#include "cache/kv_caches.h"
#include "deepinfer/graph_runner.h"
#include "model/model.h"
#include "runner/input_metadata.h"

namespace deepinfer {

/// The standard PrepareInput: rows of the sequences in order, then padding rows (position -1,
/// scratch slot); block table rows of their slots; n-gram rows gathered through the model's Engram.
/// Every index is checked against what it indexes; Error (bad_input) names the field. `model` and
/// `caches` must outlive the result.
PrepareInput make_prepare_input(const Model& model, const KvCaches& caches);

/// The sequence that padding rows stand for: no tokens, the scratch slot.
SequenceMetadata padding_sequence(const CacheGeometry& geometry);

}  // namespace deepinfer
