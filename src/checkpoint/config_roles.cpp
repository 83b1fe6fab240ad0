// Roles of the layers, model specification 1.7.

#include <algorithm>

#include "deepinfer/model_config.h"

namespace deepinfer {
namespace {

bool sorted_contains(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

int largest_not_above(const std::vector<int>& sorted, int value) {
  const auto above = std::upper_bound(sorted.begin(), sorted.end(), value);
  return above == sorted.begin() ? -1 : *(above - 1);
}

}  // namespace

bool ModelConfig::is_kv_source(int layer) const {
  return sorted_contains(kv_source_layer_ids, layer);
}

bool ModelConfig::is_index_source(int layer) const {
  return sorted_contains(index_source_layer_ids, layer);
}

int ModelConfig::kv_source_of(int layer) const {
  return ratio(layer) == 0 ? -1 : largest_not_above(kv_source_layer_ids, layer);
}

int ModelConfig::index_source_of(int layer) const {
  return ratio(layer) == 0 ? -1 : largest_not_above(index_source_layer_ids, layer);
}

int ModelConfig::engram_index(int layer) const {
  const auto found = std::lower_bound(engram.layer_ids.begin(), engram.layer_ids.end(), layer);
  if (found == engram.layer_ids.end() || *found != layer) return -1;
  return static_cast<int>(found - engram.layer_ids.begin());
}

bool ModelConfig::uses_candidates(int layer) const {
  return candidate_source_layer_id >= 0 && layer > candidate_source_layer_id &&
         is_index_source(layer);
}

}  // namespace deepinfer
