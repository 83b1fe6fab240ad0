#include "checkpoint/checkpoint_scan.h"

#include <algorithm>
#include <set>

#include "checkpoint/checkpoint_index.h"
#include "checkpoint/dtype_names.h"
#include "checkpoint/tensor_names.h"

namespace deepinfer {
namespace {

std::string accepted_text(const ExpectedTensor& wanted) {
  std::string text;
  for (const DType type : wanted.dtypes) {
    if (!text.empty()) text += " or ";
    text += disk_name_of(type);
  }
  return text + " " + shape_text(wanted.shape);
}

class Scanner {
 public:
  Scanner(std::string directory, const ModelConfig* config, ScanMode mode, const FaultSink& sink)
      : directory_(std::move(directory)), mode_(mode), sink_(sink) {
    if (config != nullptr) expected_ = expected_tensors(*config);
    knows_names_ = config != nullptr;
  }

  CheckpointScan run() {
    index_ = read_checkpoint_index(directory_);
    for (const std::string& file : index_.files) open_shard(file);
    for (const SafetensorsFile& shard : result_.shards) take_tensors(shard);
    sort_tensors();
    report_listed_but_absent();
    compare_with_expected();
    check_total_size();
    finish_unknown();
    return std::move(result_);
  }

 private:
  void open_shard(const std::string& file) {
    try {
      result_.shards.push_back(SafetensorsFile::open(directory_ + "/" + file, sink_));
    } catch (const Error& error) {
      unreadable_files_.insert(file);
      sink_(error);
      return;
    }
    const SafetensorsFile& shard = result_.shards.back();
    reported_.insert(shard.damaged().begin(), shard.damaged().end());
    result_.warnings.insert(result_.warnings.end(), shard.warnings().begin(),
                            shard.warnings().end());
  }

  /// Keeps the tensors of a shard that the index places there.
  void take_tensors(const SafetensorsFile& shard) {
    for (const StoredTensor& tensor : shard.tensors()) {
      if (!index_.has_map) {
        result_.tensors.push_back(tensor);
        continue;
      }
      const IndexEntry* entry = index_.find(tensor.name);
      if (entry == nullptr) {
        take_unlisted(shard, tensor);
      } else if (entry->file != tensor.file) {
        fault(shard.path(), "tensor '" + tensor.name + "' is in another file than the index says",
              {entry->file, tensor.file, ""});
      } else {
        result_.tensors.push_back(tensor);
      }
    }
  }

  void take_unlisted(const SafetensorsFile& shard, const StoredTensor& tensor) {
    const bool wanted = !knows_names_ || find_expected(tensor.name) != nullptr;
    if (!wanted && mode_ == ScanMode::open) {
      if (!is_ignored_tensor(tensor.name)) note_unknown(tensor.name);
      return;
    }
    reported_.insert(tensor.name);
    fault(shard.path(), "tensor '" + tensor.name + "' is in the file but not in the index",
          {"an entry in " + index_.path, "none", ""});
  }

  void sort_tensors() {
    std::sort(result_.tensors.begin(), result_.tensors.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  void report_listed_but_absent() {
    for (const IndexEntry& entry : index_.entries) {
      if (unreadable_files_.contains(entry.file)) {
        reported_.insert(entry.tensor);
      } else if (!reported_.contains(entry.tensor) && find_tensor(entry.tensor) == nullptr) {
        reported_.insert(entry.tensor);
        fault(directory_ + "/" + entry.file, "missing tensor '" + entry.tensor + "'",
              {"it in this file, as " + index_.path + " says", "no such tensor", ""});
      }
    }
    // A single file without an index accounts for every tensor itself.
    everything_reported_ = !index_.has_map && !unreadable_files_.empty();
  }

  void compare_with_expected() {
    if (!knows_names_) return;
    for (const ExpectedTensor& wanted : expected_) {
      StoredTensor* tensor = find_tensor(wanted.name);
      if (tensor != nullptr) {
        compare(*tensor, wanted);
      } else if (wanted.required && !reported_.contains(wanted.name) && !everything_reported_) {
        fault(index_.path, "missing tensor '" + wanted.name + "'",
              {accepted_text(wanted), "no such tensor", ""});
      }
    }
    for (const StoredTensor& tensor : result_.tensors) {
      if (find_expected(tensor.name) != nullptr || is_ignored_tensor(tensor.name)) continue;
      if (mode_ == ScanMode::open) {
        note_unknown(tensor.name);
      } else {
        fault(directory_ + "/" + tensor.file,
              "unknown tensor '" + tensor.name + "': the model has none of that name");
      }
    }
  }

  void compare(StoredTensor& tensor, const ExpectedTensor& wanted) {
    const bool accepted =
        std::find(wanted.dtypes.begin(), wanted.dtypes.end(), tensor.dtype) != wanted.dtypes.end();
    if (!accepted || tensor.shape != wanted.shape) {
      fault(directory_ + "/" + tensor.file,
            "tensor '" + tensor.name + "' has the wrong " + (accepted ? "shape" : "type or shape"),
            {accepted_text(wanted), dtype_shape_text(tensor.dtype, tensor.shape), ""});
      return;
    }
    // Bytes that a repacker labelled U8 are used as what they are.
    if (tensor.dtype == DType::u8) tensor.dtype = wanted.dtype();
  }

  void check_total_size() {
    if (!index_.total_size || !reported_.empty() || !unreadable_files_.empty()) return;
    std::uint64_t total = 0;
    for (const StoredTensor& tensor : result_.tensors) total += tensor.data.size();
    if (total == *index_.total_size) return;
    const Error error =
        Error::bad_input(index_.path, "total_size is not the sum of the tensors",
                         {std::to_string(total), std::to_string(*index_.total_size), ""});
    if (mode_ == ScanMode::check) {
      sink_(error);
    } else if (unknown_count_ == 0) {  // else the number of those is warning enough
      result_.warnings.emplace_back(error.what());
    }
  }

  void note_unknown(const std::string& name) {
    if (unknown_count_ == 0 || name < first_unknown_) first_unknown_ = name;
    ++unknown_count_;
  }

  void finish_unknown() {
    if (unknown_count_ == 0) return;
    result_.warnings.push_back("[" + directory_ + "] " + std::to_string(unknown_count_) +
                               (unknown_count_ == 1 ? " tensor" : " tensors") +
                               " that the model has no use for, the first is '" + first_unknown_ +
                               "'");
  }

  const ExpectedTensor* find_expected(std::string_view name) const {
    const auto found = std::lower_bound(
        expected_.begin(), expected_.end(), name,
        [](const ExpectedTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
    return found != expected_.end() && found->name == name ? &*found : nullptr;
  }

  StoredTensor* find_tensor(std::string_view name) {
    const auto found = std::lower_bound(
        result_.tensors.begin(), result_.tensors.end(), name,
        [](const StoredTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
    return found != result_.tensors.end() && found->name == name ? &*found : nullptr;
  }

  void fault(std::string_view where, std::string_view what, const ErrorDetail& detail = {}) {
    sink_(Error::bad_input(where, what, detail));
  }

  std::string directory_;
  ScanMode mode_;
  const FaultSink& sink_;
  std::vector<ExpectedTensor> expected_;
  bool knows_names_ = false;
  CheckpointIndex index_;
  CheckpointScan result_;
  std::set<std::string> unreadable_files_;
  std::set<std::string, std::less<>> reported_;  // absent tensors a fault already accounts for
  bool everything_reported_ = false;
  std::size_t unknown_count_ = 0;
  std::string first_unknown_;
};

}  // namespace

CheckpointScan scan_checkpoint(const std::string& directory, const ModelConfig* config,
                               ScanMode mode, const FaultSink& sink) {
  return Scanner(directory, config, mode, sink).run();
}

}  // namespace deepinfer
