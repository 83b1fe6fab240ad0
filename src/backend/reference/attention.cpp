#include "backend/reference/attention.h"

#include <algorithm>
#include <cmath>

#include "core/numeric_formats.h"

namespace deepinfer::reference {
namespace {

constexpr std::int64_t kOnlineBlock = 64;  // list entries per block of the official kernel
constexpr double kNoMaximum = -1e30;       // its running maximum before the first entry

/// q . v in fp32, then scaled in fp32; only of entries that are present.
void make_scores(const EntryList& list, const float* query, float softmax_scale, double* scores) {
  for (std::int64_t i = 0; i < list.count; ++i) {
    if (!list.present[i]) continue;
    double dot = 0;
    for (std::int64_t c = 0; c < list.width; ++c)
      dot += static_cast<double>(query[c]) * list.values[i * list.width + c];
    scores[i] = static_cast<float>(dot) * softmax_scale;
  }
}

void add_scaled(const EntryList& list, std::int64_t entry, double factor, double* output) {
  for (std::int64_t c = 0; c < list.width; ++c)
    output[c] += factor * list.values[entry * list.width + c];
}

}  // namespace

void attend_exact(const EntryList& list, const float* query, float softmax_scale, double sink,
                  double* scores, double* output) {
  make_scores(list, query, softmax_scale, scores);
  double largest = kNoMaximum;
  for (std::int64_t i = 0; i < list.count; ++i)
    if (list.present[i]) largest = std::max(largest, scores[i]);
  double denominator = std::exp(sink - largest);
  std::fill_n(output, list.width, 0.0);
  for (std::int64_t i = 0; i < list.count; ++i) {
    if (!list.present[i]) continue;
    const double p = std::exp(scores[i] - largest);
    denominator += p;
    add_scaled(list, i, p, output);
  }
  for (std::int64_t c = 0; c < list.width; ++c) output[c] /= denominator;
}

void attend_online(const EntryList& list, const float* query, float softmax_scale, double sink,
                   double* scores, double* output) {
  make_scores(list, query, softmax_scale, scores);
  double largest = kNoMaximum;
  double denominator = 0;
  std::fill_n(output, list.width, 0.0);
  for (std::int64_t begin = 0; begin < list.count; begin += kOnlineBlock) {
    const std::int64_t end = std::min(begin + kOnlineBlock, list.count);
    double next = largest;
    for (std::int64_t i = begin; i < end; ++i)
      if (list.present[i]) next = std::max(next, scores[i]);
    const double shrink = std::exp(largest - next);
    largest = next;
    denominator *= shrink;
    for (std::int64_t c = 0; c < list.width; ++c) output[c] *= shrink;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!list.present[i]) continue;
      const auto p = static_cast<float>(std::exp(scores[i] - largest));
      denominator += p;
      add_scaled(list, i, round_bf16(p), output);
    }
  }
  denominator += std::exp(sink - largest);
  for (std::int64_t c = 0; c < list.width; ++c) output[c] /= denominator;
}

}  // namespace deepinfer::reference
