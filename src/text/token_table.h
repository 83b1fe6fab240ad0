#pragma once

// Id to vocabulary string and to the bytes it stands for. Strings live in one pool: a vocabulary
// has some 130,000 of them. Filled once, then immutable: any thread. Views live as long as the
// table.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

class TokenTable {
 public:
  /// Ids 0 … size - 1, all without a token.
  explicit TokenTable(std::size_t size);

  /// Sets an id that has no token yet. `id` is within the table.
  void set_ordinary(std::int32_t id, std::string_view piece);
  /// Sets or replaces: an added token may also stand in the vocabulary, under the same id.
  void set_added(std::int32_t id, std::string_view text);

  std::size_t size() const { return entries_.size(); }
  bool contains(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < entries_.size();
  }
  // For these the id must be within the table.
  bool has_token(std::int32_t id) const { return entry(id).kind != Kind::none; }
  bool is_added(std::int32_t id) const { return entry(id).kind == Kind::added; }
  std::string_view piece(std::int32_t id) const { return view(entry(id).piece); }
  std::string_view bytes(std::int32_t id) const { return view(entry(id).bytes); }

 private:
  enum class Kind : std::uint8_t { none, ordinary, added };
  struct Span {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  struct Entry {
    Span piece;
    Span bytes;
    Kind kind = Kind::none;
  };

  const Entry& entry(std::int32_t id) const { return entries_[static_cast<std::size_t>(id)]; }
  std::string_view view(Span span) const {
    return std::string_view(pool_).substr(span.begin, span.length);
  }
  Span store(std::string_view text);

  std::vector<Entry> entries_;
  std::string pool_;
};

}  // namespace deepinfer
