#include "text/bpe.h"

#include <algorithm>
#include <queue>

namespace deepinfer {
namespace {

// Up to this many bytes a scan for the lowest rank beats a heap; nearly all words are shorter.
constexpr std::size_t kShortPiece = 48;

// A symbol of a long piece: a node of a doubly linked list over the piece's byte positions.
struct Symbol {
  std::int32_t id;
  std::uint32_t previous;
  std::uint32_t next;
  Merge merge;  // with the next symbol
};

struct Candidate {
  std::uint32_t rank;
  std::uint32_t position;
  // Reversed: std::priority_queue puts the greatest on top.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

constexpr std::uint32_t kNone = 0xFFFFFFFF;

}  // namespace

Bpe::Bpe(const std::array<std::int32_t, 256>& byte_ids, const std::vector<MergeRule>& rules)
    : byte_ids_(byte_ids), merges_(rules) {}

void Bpe::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece.size() <= kShortPiece) {
    encode_short(piece, ids);
  } else {
    encode_long(piece, ids);
  }
}

void Bpe::encode_short(std::string_view piece, std::vector<std::int32_t>& ids) const {
  std::array<std::int32_t, kShortPiece> symbols;
  std::array<Merge, kShortPiece> merges;  // [i]: of symbols i and i + 1
  std::size_t count = piece.size();
  for (std::size_t i = 0; i < count; ++i) {
    symbols[i] = byte_ids_[static_cast<std::uint8_t>(piece[i])];
    if (i > 0) merges[i - 1] = merges_.find(symbols[i - 1], symbols[i]);
  }
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == kNoRank) break;
    symbols[best] = merges[best].result;
    for (std::size_t i = best + 1; i + 1 < count; ++i) {
      symbols[i] = symbols[i + 1];
      merges[i - 1] = merges[i];
    }
    --count;
    if (best > 0) merges[best - 1] = merges_.find(symbols[best - 1], symbols[best]);
    if (best + 1 < count) merges[best] = merges_.find(symbols[best], symbols[best + 1]);
  }
  ids.insert(ids.end(), symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(count));
}

void Bpe::encode_long(std::string_view piece, std::vector<std::int32_t>& ids) const {
  const auto count = static_cast<std::uint32_t>(piece.size());
  std::vector<Symbol> symbols(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    symbols[i].id = byte_ids_[static_cast<std::uint8_t>(piece[i])];
    symbols[i].previous = i == 0 ? kNone : i - 1;
    symbols[i].next = i + 1 == count ? kNone : i + 1;
  }

  std::vector<Candidate> candidates;
  candidates.reserve(count);
  const auto update = [&](std::uint32_t at) {
    const std::uint32_t next = symbols[at].next;
    symbols[at].merge =
        next == kNone ? Merge{kNoRank, 0} : merges_.find(symbols[at].id, symbols[next].id);
    return symbols[at].merge.rank;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const std::uint32_t rank = update(i); rank != kNoRank) candidates.push_back({rank, i});
  }
  std::priority_queue<Candidate> queue({}, std::move(candidates));

  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    Symbol& symbol = symbols[top.position];
    // Symbols only grow, so an outdated entry never has the rank its position has now.
    if (symbol.merge.rank != top.rank) continue;
    symbol.id = symbol.merge.result;
    Symbol& merged = symbols[symbol.next];
    merged.merge.rank = kNoRank;
    symbol.next = merged.next;
    if (symbol.next != kNone) symbols[symbol.next].previous = top.position;
    if (const auto rank = update(top.position); rank != kNoRank) queue.push({rank, top.position});
    if (symbol.previous == kNone) continue;
    if (const auto rank = update(symbol.previous); rank != kNoRank) {
      queue.push({rank, symbol.previous});
    }
  }
  for (std::uint32_t i = 0; i != kNone; i = symbols[i].next) ids.push_back(symbols[i].id);
}

}  // namespace deepinfer
