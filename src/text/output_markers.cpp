#include "text/output_markers.h"

#include <initializer_list>

namespace deepinfer {
namespace {

// Walks over a text; remembers whether the walk failed only for want of more text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    const std::string_view rest = text_.substr(at_);
    if (rest.substr(0, word.size()) == word) {
      at_ += word.size();
      return true;
    }
    if (word.substr(0, rest.size()) == rest) ran_out_ = true;
    return false;
  }

  bool take_any(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      if (take(word)) return true;
    }
    return false;
  }

  bool bar() { return take_any({"｜", "|"}); }

  // The marker without the space behind it.
  bool dsml() {
    if (!bar()) return false;
    bar();
    return take("DSML") && bar();
  }
  // A second bar and the space are optional.
  void dsml_tail() {
    bar();
    take(" ");
  }

  std::size_t at() const { return at_; }
  bool ran_out() const { return ran_out_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool ran_out_ = false;
};

bool tag(Cursor& cursor, std::string_view open, std::initializer_list<std::string_view> words,
         std::string_view end) {
  if (!cursor.take(open) || !cursor.dsml()) return false;
  cursor.dsml_tail();
  return cursor.take_any(words) && cursor.take(end);
}

bool block_tag(Cursor& cursor, std::string_view open) {
  return tag(cursor, open, {"calls", "tool_calls", "function_calls"}, ">");
}

bool walk(Marker marker, Cursor& cursor) {
  switch (marker) {
    case Marker::think_open:
      return cursor.take("<think>");
    case Marker::think_close:
      return cursor.take("</think>");
    case Marker::block_open:
      return block_tag(cursor, "<");
    case Marker::block_close:
      return block_tag(cursor, "</");
    case Marker::invoke_open:
    case Marker::invoke_declared:
      return tag(cursor, "<", {"invoke"}, " name=\"");
    case Marker::invoke_close:
      return tag(cursor, "</", {"invoke"}, ">");
    case Marker::parameter_open:
      return tag(cursor, "<", {"parameter"}, " name=\"");
    case Marker::parameter_close:
      return tag(cursor, "</", {"parameter"}, ">");
    case Marker::any_close:
      return cursor.take("</") && cursor.dsml();
  }
  return false;
}

}  // namespace

MarkerMatch match_marker(Marker marker, std::string_view text,
                         const std::vector<std::string>& names) {
  Cursor cursor(text);
  if (!walk(marker, cursor)) {
    return {cursor.ran_out() ? MatchState::partial : MatchState::none, 0};
  }
  const std::size_t length = cursor.at();
  if (marker != Marker::invoke_declared) return {MatchState::full, length};

  MarkerMatch out;
  for (const std::string& name : names) {
    Cursor behind(text.substr(length));
    if (behind.take(name) && behind.take("\"")) return {MatchState::full, length};
    if (behind.ran_out()) out.state = MatchState::partial;
  }
  return out;
}

}  // namespace deepinfer
