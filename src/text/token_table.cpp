#include "text/token_table.h"

#include "text/byte_alphabet.h"

namespace deepinfer {

TokenTable::TokenTable(std::size_t size) : entries_(size) {}

TokenTable::Span TokenTable::store(std::string_view text) {
  const Span span{pool_.size(), text.size()};
  pool_.append(text);
  return span;
}

void TokenTable::set_ordinary(std::int32_t id, std::string_view piece) {
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  entry.piece = store(piece);
  // A string with a character outside the byte alphabet stands for its own UTF-8 (model
  // specification 3.1).
  const auto bytes = unspell_bytes(piece);
  entry.bytes = bytes ? store(*bytes) : entry.piece;
  entry.kind = Kind::ordinary;
}

void TokenTable::set_added(std::int32_t id, std::string_view text) {
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  entry.piece = store(text);
  entry.bytes = entry.piece;
  entry.kind = Kind::added;
}

}  // namespace deepinfer
