#include "backend/pjrt/stablehlo/row_chunks.h"

#include "backend/pjrt/stablehlo/products.h"

namespace deepinfer::pjrt {

std::vector<Val> by_row_chunks(
    ModuleWriter& w, std::span<const Val> inputs, std::int64_t bytes_per_row, std::int64_t bytes,
    const std::function<std::vector<Val>(std::span<const Val> inputs)>& body,
    std::span<const Val> results_like) {
  const std::int64_t rows = inputs.front().dim(0);
  const std::int64_t chunk = piece_of(rows, 1, bytes_per_row, bytes);
  if (chunk == rows) return body(inputs);
  std::vector<Val> carried;
  for (const Val& like : results_like) carried.push_back(w.constant(like.type, 0, like.dims));
  return w.loop(rows / chunk, carried, [&](const Val& i, const std::vector<Val>& so_far) {
    const Val start = w.mul(i, static_cast<double>(chunk));
    std::vector<Val> parts;
    for (const Val& input : inputs) parts.push_back(w.take(input, start, chunk));
    const std::vector<Val> made = body(parts);
    std::vector<Val> next;
    for (std::size_t k = 0; k < made.size(); ++k) next.push_back(w.put(so_far[k], made[k], start));
    return next;
  });
}

}  // namespace deepinfer::pjrt
