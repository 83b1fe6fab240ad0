#include "checkpoint/safetensors_header.h"
#include "core/json_problem.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace deepinfer {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRank = 8;  // the vision tower's patch embedding has 4

/// Receives the parser's events. The grammar is fixed: an object of objects, with arrays of
/// integers two levels down, so a small state machine over the depth is enough.
class HeaderReader : public json::json_sax_t {
 public:
  explicit HeaderReader(std::string_view where) : where_(where) {}

  std::vector<HeaderTensor> take() { return std::move(entries_); }

  bool start_object(std::size_t) override {
    if (level_ == Level::file) {
      level_ = Level::entries;
    } else if (level_ == Level::entry_value) {
      level_ = in_metadata_ ? Level::metadata : Level::fields;
      fields_seen_ = 0;
    } else {
      refuse("has an object in a wrong place");
    }
    return true;
  }

  bool key(std::string& name) override {
    if (level_ == Level::entries) {
      in_metadata_ = name == "__metadata__";
      if (!in_metadata_) entries_.emplace_back().name = name;
      level_ = Level::entry_value;
    } else if (level_ == Level::fields) {
      start_field(name);
    }
    return true;
  }

  bool end_object() override {
    if (level_ == Level::fields) {
      if (fields_seen_ != kAllFields) refuse("must have dtype, shape and data_offsets");
      if (offsets_read_ != 2) refuse("must have two data_offsets");
      level_ = Level::entries;
    } else if (level_ == Level::metadata) {
      level_ = Level::entries;
    } else {
      level_ = Level::done;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ == Level::shape_value) {
      level_ = Level::shape;
    } else if (level_ == Level::offsets_value) {
      level_ = Level::offsets;
    } else {
      refuse("has an array in a wrong place");
    }
    return true;
  }

  bool end_array() override {
    level_ = Level::fields;
    return true;
  }

  bool string(std::string& value) override {
    if (level_ == Level::dtype_value) {
      entries_.back().dtype = value;
      level_ = Level::fields;
    } else if (level_ != Level::metadata) {
      refuse("has text in a wrong place: '" + value.substr(0, 40) + "'");
    }
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (level_ == Level::shape) {
      add_extent(value);
    } else if (level_ == Level::offsets) {
      add_offset(value);
    } else {
      refuse("has a number in a wrong place: " + std::to_string(value));
    }
    return true;
  }

  bool number_integer(std::int64_t value) override {
    refuse("has a negative number " + std::to_string(value));
    return false;
  }

  bool number_float(double /*value*/, const std::string& literal) override {
    refuse("has a number that is no 64-bit integer: " + literal.substr(0, 40));
    return false;
  }

  bool boolean(bool) override {
    refuse("has a boolean");
    return false;
  }

  bool null() override {
    refuse("has a null");
    return false;
  }

  bool binary(binary_t&) override { return false; }  // never comes from JSON text

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    throw Error::bad_input(where_, "header is not valid JSON: " + json_problem(error.what()));
  }

 private:
  enum class Level {
    file,           // before the outer object
    entries,        // between two entries
    entry_value,    // behind an entry's name
    metadata,       // in __metadata__
    fields,         // between two fields of an entry
    dtype_value,    // behind "dtype"
    shape_value,    // behind "shape"
    shape,          // in the list of extents
    offsets_value,  // behind "data_offsets"
    offsets,        // in the pair of offsets
    done
  };
  static constexpr unsigned kDtype = 1, kShape = 2, kOffsets = 4, kAllFields = 7;

  [[noreturn]] void refuse(const std::string& what) const {
    const bool inside = level_ != Level::file && level_ != Level::done && !entries_.empty();
    const std::string subject = in_metadata_ ? "__metadata__ "
                                : inside     ? "tensor '" + entries_.back().name + "' "
                                             : std::string();
    throw Error::bad_input(where_, "header: " + subject + what);
  }

  void start_field(const std::string& name) {
    const unsigned field = name == "dtype"          ? kDtype
                           : name == "shape"        ? kShape
                           : name == "data_offsets" ? kOffsets
                                                    : 0;
    if (field == 0) refuse("has an unknown field '" + name.substr(0, 40) + "'");
    if ((fields_seen_ & field) != 0) refuse("has field '" + name + "' twice");
    fields_seen_ |= field;
    if (field == kOffsets) offsets_read_ = 0;
    level_ = field == kDtype   ? Level::dtype_value
             : field == kShape ? Level::shape_value
                               : Level::offsets_value;
  }

  void add_extent(std::uint64_t value) {
    std::vector<std::int64_t>& shape = entries_.back().shape;
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse("has an extent " + std::to_string(value) + " beyond 2^63");
    }
    if (shape.size() == kMaxRank) refuse("has more than " + std::to_string(kMaxRank) + " axes");
    shape.push_back(static_cast<std::int64_t>(value));
  }

  void add_offset(std::uint64_t value) {
    if (offsets_read_ == 2) refuse("must have two data_offsets");
    (offsets_read_ == 0 ? entries_.back().begin : entries_.back().end) = value;
    ++offsets_read_;
  }

  std::string where_;
  std::vector<HeaderTensor> entries_;
  Level level_ = Level::file;
  bool in_metadata_ = false;
  unsigned fields_seen_ = 0;
  int offsets_read_ = 0;
};

}  // namespace

std::vector<HeaderTensor> parse_safetensors_header(std::string_view text, std::string_view where) {
  HeaderReader reader(where);
  json::sax_parse(text, &reader);
  std::vector<HeaderTensor> entries = reader.take();
  std::sort(entries.begin(), entries.end(),
            [](const HeaderTensor& a, const HeaderTensor& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != entries.end()) {
    throw Error::bad_input(where, "header: tensor '" + twice->name + "' appears twice");
  }
  return entries;
}

}  // namespace deepinfer
