#include "checkpoint/checkpoint_index.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "checkpoint/mapped_file.h"
#include "core/json_problem.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

constexpr const char* kIndexFile = "/model.safetensors.index.json";
constexpr const char* kSingleFile = "/model.safetensors";

using nlohmann::json;

constexpr std::size_t kMaxIndexBytes = 100'000'000;  // the released index has 8 MB

/// Receives the parser's events, so that memory grows with the entries and nothing else.
class IndexReader : public json::json_sax_t {
 public:
  IndexReader(CheckpointIndex& index, std::string_view where) : index_(index), where_(where) {}

  bool saw_map() const { return saw_map_; }

  bool start_object(std::size_t) override {
    open();
    if (in_map() && depth_ == 2) saw_map_ = true;
    return true;
  }
  bool start_array(std::size_t) override {
    open();
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    if (depth_ == 1) {
      section_ = name;
      if (in_map() && saw_map_) refuse("weight_map appears twice");
    } else if (depth_ == 2) {
      name_ = name;
    }
    return true;
  }

  bool string(std::string& value) override {
    if (depth_ == 0) refuse("must hold a JSON object");
    if (in_map()) {
      if (depth_ == 1) refuse("weight_map must be an object");
      index_.entries.push_back({name_, value});
    }
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (section_ == "metadata" && depth_ == 2 && name_ == "total_size") index_.total_size = value;
    return other_value();
  }
  bool number_integer(std::int64_t) override { return other_value(); }
  bool number_float(double, const std::string&) override { return other_value(); }
  bool boolean(bool) override { return other_value(); }
  bool null() override { return other_value(); }
  bool binary(binary_t&) override { return false; }  // never comes from JSON text

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    refuse("is not valid JSON: " + json_problem(error.what()));
  }

 private:
  bool in_map() const { return section_ == "weight_map"; }

  void open() {
    if (in_map() && depth_ >= 2) refuse_value();
    ++depth_;
  }
  bool close() {
    --depth_;
    if (depth_ == 1) section_.clear();
    return true;
  }

  bool other_value() {
    if (depth_ == 0) refuse("must hold a JSON object");
    if (in_map()) refuse_value();
    return true;
  }
  [[noreturn]] void refuse_value() const {
    if (depth_ == 1) refuse("weight_map must be an object");
    refuse("weight_map entry '" + name_ + "' is no file name");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error::bad_input(where_, "index " + what);
  }

  CheckpointIndex& index_;
  std::string where_;
  std::string section_;  // top-level field being read
  std::string name_;     // field inside it
  std::size_t depth_ = 0;
  bool saw_map_ = false;
};

/// Tensors are read from the checkpoint directory only, whatever the index says.
void require_plain_file_name(const IndexEntry& entry, const std::string& where) {
  const std::string& file = entry.file;
  const bool plain = !file.empty() && file != "." && file != ".." &&
                     file.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  if (plain) return;
  throw Error::bad_input(
      where, "index names a file outside the checkpoint for tensor '" + entry.tensor + "'",
      {"a plain file name", "'" + file + "'", ""});
}

}  // namespace

const IndexEntry* CheckpointIndex::find(std::string_view tensor) const {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), tensor,
      [](const IndexEntry& entry, std::string_view wanted) { return entry.tensor < wanted; });
  return found != entries.end() && found->tensor == tensor ? &*found : nullptr;
}

CheckpointIndex parse_checkpoint_index(std::string_view text, const std::string& path) {
  if (text.size() > kMaxIndexBytes) {
    throw Error::bad_input(
        path, "index is too large",
        {"at most " + std::to_string(kMaxIndexBytes) + " bytes", std::to_string(text.size()), ""});
  }
  CheckpointIndex index;
  index.path = path;
  index.has_map = true;
  IndexReader reader(index, path);
  json::sax_parse(text, &reader);
  if (!reader.saw_map()) throw Error::bad_input(path, "index has no object weight_map");

  std::sort(index.entries.begin(), index.entries.end(),
            [](const auto& a, const auto& b) { return a.tensor < b.tensor; });
  for (std::size_t i = 0; i < index.entries.size(); ++i) {
    require_plain_file_name(index.entries[i], path);
    if (i > 0 && index.entries[i].tensor == index.entries[i - 1].tensor) {
      throw Error::bad_input(path, "index lists tensor '" + index.entries[i].tensor + "' twice");
    }
    index.files.push_back(index.entries[i].file);
  }
  std::sort(index.files.begin(), index.files.end());
  index.files.erase(std::unique(index.files.begin(), index.files.end()), index.files.end());
  return index;
}

bool has_weights(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(directory + kIndexFile, ignored) ||
         std::filesystem::exists(directory + kSingleFile, ignored);
}

CheckpointIndex read_checkpoint_index(const std::string& directory) {
  const std::string path = directory + kIndexFile;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    const MappedFile file = MappedFile::open(path);
    return parse_checkpoint_index(file.text(), path);
  }
  const std::string path_of_single = directory + kSingleFile;
  if (!std::filesystem::exists(path_of_single, ignored)) {
    throw Error::bad_input(directory, "no weights found",
                           {"model.safetensors.index.json or model.safetensors", "neither",
                            "a model directory holds config.json, tokenizer.json and the weights"});
  }
  CheckpointIndex index;
  index.path = path_of_single;
  index.files = {std::string(kSingleFile + 1)};
  return index;
}

}  // namespace deepinfer
