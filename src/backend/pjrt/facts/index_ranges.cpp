#include "backend/pjrt/facts/index_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "backend/pjrt/facts/interval.h"
#include "backend/pjrt/facts/module_line.h"

namespace deepinfer::pjrt {
namespace {

/// What is known of a value: its bounds; of index lists, those of each column of the last axis.
struct Known {
  Interval all;
  std::vector<Interval> columns = {};
};

/// The numbers of "name = [1, 2]" or "name: 1, 2>" in the line.
std::vector<std::int64_t> numbers_behind(std::string_view line, std::string_view name) {
  std::vector<std::int64_t> numbers;
  std::size_t at = line.find(name);
  if (at == std::string_view::npos) return numbers;
  for (at += name.size(); at < line.size() && line[at] != ']' && line[at] != '>';) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(line.data() + at, line.data() + line.size(), number);
    if (fault == std::errc()) {
      numbers.push_back(number);
      at = static_cast<std::size_t>(end - line.data());
    } else {
      ++at;
    }
  }
  return numbers;
}

class RangeCheck {
 public:
  explicit RangeCheck(const std::map<std::string, Interval>& parameters)
      : parameters_(parameters) {}

  std::vector<Violation> run(std::string_view text) {
    for_each_line(text, [this](std::string_view line) {
      ++number_;
      read(line);
    });
    return std::move(found_);
  }

 private:
  struct Loop {
    std::string counter;
    std::int64_t first = 0;
  };

  void read(std::string_view line) {
    if (line.empty() || line.starts_with("//")) return;
    if (line.starts_with("func.func")) {
      in_main_ = line.find("@main") != std::string_view::npos;
      known_.clear();
    }
    const std::vector<std::string_view> ops = ops_of(line);
    const std::string_view op = ops.empty() ? std::string_view() : ops.front();
    if (op == "stablehlo.while") {
      begin_loop(line);
      return;
    }
    if (op == "stablehlo.compare" && !loops_.empty()) bound_counter(line);
    if (!line.starts_with("%") || line.find(" = ") == std::string_view::npos) {
      define_arguments(line);
      return;
    }
    const NamesOfLine names = names_of(line);
    const std::string name(names.defined.front());
    const Operands of{.line = line, .names = names.used, .types = shapes_of(line)};
    if (op == "stablehlo.gather") check_gather(of);
    if (op == "stablehlo.scatter") check_scatter(of);
    if (op == "stablehlo.dynamic_slice") check_slice(of, of.types.back().dims, 1);
    if (op == "stablehlo.dynamic_update_slice") check_slice(of, of.types[1].dims, 2);
    known_[name] = result(op, of);
  }

  struct Operands {
    std::string_view line;
    std::vector<std::string_view> names;
    std::vector<ShapeText> types;  // of operands, then of results
  };

  void fault(const std::string& what) { found_.push_back({number_, what}); }

  void define_arguments(std::string_view line) {
    const NamesOfLine names = names_of(line);
    const std::vector<ShapeText> types = shapes_of(line);
    for (std::size_t i = 0; i < names.defined.size() && i < types.size(); ++i) {
      const std::string name(names.defined[i]);
      const auto given = parameters_.find(name);
      const bool bounded = in_main_ && given != parameters_.end();
      known_[name] = {bounded ? given->second : range_of(types[i].element)};
    }
  }

  void begin_loop(std::string_view line) {
    const NamesOfLine names = names_of(line);
    const std::vector<ShapeText> types = shapes_of(line);
    for (std::size_t i = 0; i + 1 < names.defined.size() && i < types.size(); ++i)
      known_[std::string(names.defined[i + 1])] = {range_of(types[i].element)};
    known_[std::string(names.defined.front())] = {kAnything};
    Loop loop;
    if (names.defined.size() > 1 && !names.used.empty()) {
      loop.counter = names.defined[1];
      loop.first = bounds_of(names.used.front()).low;
    }
    loops_.push_back(loop);
  }

  /// "counter < constant" is what lets a body run: from there on the counter is below it.
  void bound_counter(std::string_view line) {
    const std::vector<std::string_view> names = names_of(line).used;
    if (names.size() != 2 || names[0] != loops_.back().counter) return;
    if (line.find("compare LT,") == std::string_view::npos) return;
    const Loop& loop = loops_.back();
    known_[loop.counter] = {{loop.first, bounds_of(names[1]).high - 1}};
    loops_.pop_back();  // what follows belongs to its body
  }

  Interval bounds_of(std::string_view name) const {
    const auto known = known_.find(std::string(name));
    return known == known_.end() ? kAnything : known->second.all;
  }

  const std::vector<Interval>& columns_of(std::string_view name) const {
    static const std::vector<Interval> none;
    const auto known = known_.find(std::string(name));
    return known == known_.end() ? none : known->second.columns;
  }

  Known result(std::string_view op, const Operands& of) const {
    const ShapeText& type = of.types.back();
    if (!is_whole_number(type.element)) return {kAnything};
    Known made{bounds_by(op, of), columns_by(op, of)};
    made.all = fitted(made.all, type.element);
    return made;
  }

  Interval bounds_by(std::string_view op, const Operands& of) const {
    const ShapeText& type = of.types.back();
    const auto in = [&](std::size_t i) {
      return i < of.names.size() ? bounds_of(of.names[i]) : kAnything;
    };
    const std::string_view name = op.substr(op.find('.') + 1);
    if (name == "constant") return constant_of(of.line);
    if (name == "iota") {
      const auto axis = numbers_behind(of.line, "dim = ");
      const std::size_t at = axis.empty() ? 0 : static_cast<std::size_t>(axis.front());
      return at < type.dims.size() ? Interval{0, type.dims[at] - 1} : kAnything;
    }
    for (const std::string_view same : {"broadcast_in_dim", "reshape", "slice", "transpose",
                                        "gather", "dynamic_slice", "convert"})
      if (name == same)
        return name == "convert" && of.types.front().element == "i1" ? Interval{0, 1} : in(0);
    if (name == "reduce")
      return of.line.find("stablehlo.minimum") != std::string_view::npos ||
                     of.line.find("stablehlo.maximum") != std::string_view::npos
                 ? in(0)
                 : kAnything;
    if (name == "select") return joined(in(1), in(2));
    if (name == "pad" || name == "dynamic_update_slice") return joined(in(0), in(1));
    if (name == "concatenate") {
      Interval all = in(0);
      for (std::size_t i = 1; i < of.names.size(); ++i) all = joined(all, in(i));
      return all;
    }
    // What nothing is known of, such as a loop's result, still has a type, here the result's.
    const Interval type_range = range_of(type.element);
    return of.names.size() == 2 ? binary(name, common(in(0), type_range), common(in(1), type_range))
                                : kAnything;
  }

  /// Columns survive where the last axis is kept whole; concatenation of columns makes them.
  std::vector<Interval> columns_by(std::string_view op, const Operands& of) const {
    const std::vector<std::int64_t>& dims = of.types.back().dims;
    if (dims.empty()) return {};
    if (op == "stablehlo.concatenate") {
      const auto axis = numbers_behind(of.line, "dim = ");
      if (axis.empty() || axis.front() + 1 != static_cast<std::int64_t>(dims.size())) return {};
      std::vector<Interval> columns;
      for (std::size_t i = 0; i < of.names.size(); ++i) {
        const auto width = static_cast<std::size_t>(of.types[i].dims.back());
        columns.insert(columns.end(), width, bounds_of(of.names[i]));
        if (columns.size() > kMostColumns) return {};
      }
      return columns;
    }
    if (op != "stablehlo.gather" && op != "stablehlo.slice") return {};
    const std::vector<Interval>& columns = columns_of(of.names.front());
    return static_cast<std::int64_t>(columns.size()) == dims.back() ? columns
                                                                    : std::vector<Interval>{};
  }

  void require(Interval got, std::int64_t extent, std::int64_t size, std::string_view op,
               std::size_t axis) {
    const Interval allowed{0, extent - size};
    if (got.low >= allowed.low && got.high <= allowed.high) return;
    fault(fmt::format("{} may leave axis {} at {}..{}, allowed are {}..{}", op, axis, got.low,
                      got.high, allowed.low, allowed.high));
  }

  /// `indices` name the axes in `map`; `sizes` are what is taken or put, by axis.
  void check_starts(std::string_view op, std::string_view indices, const ShapeText& whole,
                    const std::vector<std::int64_t>& map, const std::vector<std::int64_t>& sizes) {
    const std::vector<Interval>& columns = columns_of(indices);
    for (std::size_t i = 0; i < map.size(); ++i) {
      const auto axis = static_cast<std::size_t>(map[i]);
      if (axis >= whole.dims.size() || axis >= sizes.size()) {
        fault(fmt::format("{} is not understood", op));
        return;
      }
      const Interval got = columns.size() == map.size() ? columns[i] : bounds_of(indices);
      require(got, whole.dims[axis], sizes[axis], op, axis);
    }
  }

  void check_gather(const Operands& of) {
    check_starts("gather", of.names.at(1), of.types.front(),
                 numbers_behind(of.line, "start_index_map = ["),
                 numbers_behind(of.line, "slice_sizes = array<i64:"));
  }

  void check_scatter(const Operands& of) {
    // Of three operands; the comparison's arguments come between them and their types.
    const std::vector<ShapeText>& types = of.types;
    if (types.size() < 4 || of.names.size() < 2) {
      fault("scatter is not understood");
      return;
    }
    const std::vector<std::int64_t>& updates = types[types.size() - 2].dims;
    check_starts("scatter", of.names[1], types.back(),
                 numbers_behind(of.line, "scatter_dims_to_operand_dims = ["),
                 {1, updates.empty() ? 0 : updates.back()});
  }

  void check_slice(const Operands& of, const std::vector<std::int64_t>& sizes,
                   std::size_t first_start) {
    const std::vector<std::int64_t>& dims = of.types.front().dims;
    for (std::size_t axis = 0; axis < dims.size() && axis < sizes.size(); ++axis)
      require(bounds_of(of.names.at(first_start + axis)), dims[axis], sizes[axis],
              first_start == 1 ? "dynamic_slice" : "dynamic_update_slice", axis);
  }

  static constexpr std::size_t kMostColumns = 8;  // of index lists: an axis each

  const std::map<std::string, Interval>& parameters_;
  int number_ = 0;
  bool in_main_ = false;
  std::vector<Violation> found_;
  std::map<std::string, Known> known_;
  std::vector<Loop> loops_;  ///< whose condition is not read yet
};

}  // namespace

std::vector<Violation> check_indices(std::string_view text,
                                     const std::map<std::string, Interval>& parameters) {
  return RangeCheck(parameters).run(text);
}

}  // namespace deepinfer::pjrt
