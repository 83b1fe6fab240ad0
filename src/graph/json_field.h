#pragma once

// JSON text as a tree of fields that know their place in it, so that every fault can be named:
//   [graph.json] ops[3].attributes.eps is no number, expected a finite number, got "x"
//
// A JsonDocument owns the tree; fields are cheap to copy and may not outlive it. Every function
// throws Error (bad_input) for what is not there or not of its type. Hides the JSON library, whose
// header is slow to compile.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

class JsonField {
 public:
  [[noreturn]] void fail(std::string_view what, const std::string& expected,
                         const std::string& got) const;
  /// The field's value for an error: a scalar as it is, else its type.
  std::string shown() const;

  bool has(std::string_view name) const;
  JsonField member(std::string_view name) const;
  /// Throws if the object has a member that is not among `names`.
  void only(const std::vector<std::string_view>& names) const;

  std::size_t size() const;  ///< of an array
  JsonField item(std::size_t index) const;

  std::string text() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  /// The nearest float, which must be finite.
  float number() const;

 private:
  friend class JsonDocument;
  JsonField(const void* json, std::string_view source, std::string path)
      : json_(json), source_(source), path_(std::move(path)) {}

  const void* json_;  // the library's node
  std::string_view source_;
  std::string path_;
};

class JsonDocument {
 public:
  /// Throws Error (bad_input) if `text` is no JSON, or an object of it has a member twice, or it is
  /// nested deeper than a graph is. `source` names it in errors and must outlive this.
  JsonDocument(std::string_view text, std::string_view source);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonField top() const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
  std::string_view source_;
};

}  // namespace deepinfer
