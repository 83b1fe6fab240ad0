#include "backend/pjrt/facts/module_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "backend/pjrt/facts/module_line.h"

namespace deepinfer::pjrt {
namespace {

// Ops whose result's extents are values.
constexpr std::array<std::string_view, 9> kDynamicOps = {
    "stablehlo.dynamic_reshape",    "stablehlo.dynamic_gather",
    "stablehlo.dynamic_pad",        "stablehlo.dynamic_broadcast_in_dim",
    "stablehlo.dynamic_iota",       "stablehlo.dynamic_conv",
    "stablehlo.real_dynamic_slice", "stablehlo.get_dimension_size",
    "stablehlo.set_dimension_size"};

template <typename List>
bool holds(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// What stands behind the first " = ".
std::string_view right_side(std::string_view line) {
  const std::size_t at = line.find(" = ");
  return at == std::string_view::npos ? line : line.substr(at + 3);
}

bool is_integer(std::string_view element) {
  return element.starts_with("i") || element.starts_with("ui") || element.starts_with("si");
}

bool is_narrow_integer(std::string_view element) {
  return is_integer(element) && (element.ends_with("i8") || element.ends_with("i16"));
}

/// Reads lines in order; knows what was defined in the function so far.
class RuleCheck {
 public:
  explicit RuleCheck(const ModuleRules& rules) : rules_(rules) {}

  std::vector<Violation> run(std::string_view text) {
    for_each_line(text, [this](std::string_view line) {
      ++number_;
      read(line);
    });
    for (const Loop& loop : loops_) add(loop.line, "a loop that does not end");
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Violation& a, const Violation& b) { return a.line < b.line; });
    return std::move(found_);
  }

 private:
  struct Loop {
    int line = 0;
    std::vector<std::string> carried;
    std::vector<std::string> initial;
    int counter = -1;  ///< which of those the condition counts
    bool in_body = false;
  };

  void add(int line, std::string what) { found_.push_back({line, std::move(what)}); }
  void add(std::string what) { add(number_, std::move(what)); }

  void read(std::string_view line) {
    if (line.empty() || line.starts_with("//") || line.starts_with("module @")) return;
    if (line.starts_with("func.func")) forget_function();
    if (!is_understood(line)) {
      add(fmt::format("a line that is not understood: {}", line.substr(0, 40)));
      return;
    }
    check_names(line);
    check_types(line);
    for (const std::string_view op : ops_of(line)) check_op(op, line);
    if (line.starts_with("%")) remember(line);
    follow_loops(line);
  }

  static bool is_understood(std::string_view line) {
    if (line == "}" || line == "cond {" || line == "} do {") return true;
    for (const std::string_view start : {"func.func", "return", "stablehlo.return"})
      if (line.starts_with(start)) return true;
    if (!line.starts_with("%")) return false;
    const NamesOfLine names = names_of(line);
    if (names.defined.empty()) return false;
    if (line.substr(1 + names.defined.front().size()).starts_with(": tensor<")) return true;
    const std::string_view right = right_side(line);
    const std::vector<std::string_view> ops = ops_of(line);
    return !ops.empty() && (right.starts_with(ops.front()) || right.starts_with("\""));
  }

  void forget_function() {
    defined_.clear();
    lines_.clear();
    constants_.clear();
  }

  void check_names(std::string_view line) {
    const NamesOfLine names = names_of(line);
    for (const std::string_view name : names.defined)
      if (!defined_.emplace(name).second) add(fmt::format("%{} is made twice", name));
    for (const std::string_view name : names.used)
      if (!defined_.contains(std::string(name))) add(fmt::format("%{} is not made yet", name));
  }

  void check_types(std::string_view line) {
    std::set<std::string_view> said;
    for (const TypeText& type : types_of(line)) {
      if (type.dynamic && said.insert("dynamic").second) add("a dynamic shape");
      if (holds(rules_.refused_types, type.element) && said.insert(type.element).second)
        add(fmt::format("refused type {}", type.element));
    }
  }

  void check_op(std::string_view op, std::string_view line) {
    if (holds(rules_.refused_ops, op)) add(fmt::format("refused op {}", op));
    if (holds(kDynamicOps, op)) add(fmt::format("a dynamic shape, by {}", op));
    if (op == "stablehlo.custom_call") add("a custom call");
    if (op == "stablehlo.sort") check_sort(line);
    if (op == "stablehlo.reduce") check_reduction(line);
    const std::vector<TypeText> types = types_of(line);
    const std::string_view first = types.empty() ? std::string_view() : types.front().element;
    if (!rules_.integer_products && op.starts_with("stablehlo.dot") && is_integer(first))
      add(fmt::format("a product of {}", first));
    if (!rules_.byte_shifts && op.starts_with("stablehlo.shift") && is_narrow_integer(first))
      add(fmt::format("a shift of {}", first));
  }

  void check_sort(std::string_view line) {
    if (rules_.sort_directions.empty()) return;
    constexpr std::string_view kCompare = "stablehlo.compare ";
    const std::size_t at = line.find(kCompare);
    if (at == std::string_view::npos || ops_of(line).size() != 3) {  // and a return
      add("a sort that is not by one comparison");
      return;
    }
    const std::string_view direction = trimmed_line(line.substr(at + kCompare.size(), 2));
    if (!holds(rules_.sort_directions, direction)) add(fmt::format("a sort by {}", direction));
  }

  void check_reduction(std::string_view line) {
    int operands = 0;
    for (std::size_t at = line.find("init:"); at != std::string_view::npos;
         at = line.find("init:", at + 1))
      ++operands;
    if (rules_.single_reductions && operands != 1)
      add(fmt::format("a reduction of {} operands", operands));
    const std::vector<TypeText> types = types_of(line);
    if (!rules_.flag_reductions && !types.empty() && types.front().element == "i1")
      add("a reduction of i1");
  }

  void remember(std::string_view line) {
    const NamesOfLine names = names_of(line);
    const std::string name(names.defined.front());
    const std::string_view right = right_side(line);
    lines_[name] = right;
    constexpr std::string_view kConstant = "stablehlo.constant dense<";
    if (!right.starts_with(kConstant)) return;
    const std::string_view value = right.substr(kConstant.size());
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (fault == std::errc() &&
        value.substr(static_cast<std::size_t>(end - value.data())).starts_with('>'))
      constants_[name] = number;
  }

  // ---- loops: the condition is "counter < constant", the body adds a constant to the counter.

  void follow_loops(std::string_view line) {
    if (!rules_.static_loops) return;
    if (line.starts_with("%") && right_side(line).starts_with("stablehlo.while(")) {
      begin_loop(line);
    } else if (!loops_.empty() && line == "} do {") {
      loops_.back().in_body = true;
    } else if (!loops_.empty() && line == "}") {
      loops_.pop_back();
    } else if (!loops_.empty() && line.starts_with("stablehlo.return")) {
      const bool fixed =
          loops_.back().in_body ? steps(loops_.back(), line) : has_bound(loops_.back(), line);
      if (!fixed) add(loops_.back().line, "a loop without a constant number of trips");
    }
  }

  void begin_loop(std::string_view line) {
    Loop loop{.line = number_, .carried = {}, .initial = {}};
    const NamesOfLine names = names_of(line);
    loop.carried.assign(names.defined.begin() + 1, names.defined.end());
    loop.initial.assign(names.used.begin(), names.used.end());
    loops_.push_back(std::move(loop));
  }

  bool has_bound(Loop& loop, std::string_view line) {
    const std::vector<std::string_view> returned = names_of(line).used;
    if (returned.size() != 1) return false;
    const std::string condition = lines_[std::string(returned.front())];
    const std::vector<std::string_view> compared = names_of(condition).used;
    if (!condition.starts_with("stablehlo.compare LT,") || compared.size() != 2) return false;
    const auto at = std::find(loop.carried.begin(), loop.carried.end(), compared[0]);
    loop.counter = static_cast<int>(at - loop.carried.begin());
    return at != loop.carried.end() && loop.initial.size() == loop.carried.size() &&
           constants_.contains(std::string(compared[1])) &&
           constants_.contains(loop.initial[static_cast<std::size_t>(loop.counter)]);
  }

  bool steps(const Loop& loop, std::string_view line) {
    const std::vector<std::string_view> returned = names_of(line).used;
    const auto counter = static_cast<std::size_t>(loop.counter);
    if (loop.counter < 0 || counter >= loop.carried.size()) return true;  // said already
    if (counter >= returned.size()) return false;
    const std::string next = lines_[std::string(returned[counter])];
    const std::vector<std::string_view> added = names_of(next).used;
    if (!next.starts_with("stablehlo.add ") || added.size() != 2) return false;
    const auto step = constants_.find(std::string(added[1]));
    return added[0] == loop.carried[counter] && step != constants_.end() && step->second > 0;
  }

  const ModuleRules& rules_;
  int number_ = 0;
  std::vector<Violation> found_;
  std::set<std::string> defined_;
  std::map<std::string, std::string> lines_;  ///< what made a value, without its name
  std::map<std::string, std::int64_t> constants_;
  std::vector<Loop> loops_;
};

}  // namespace

std::vector<Violation> check_module(std::string_view text, const ModuleRules& rules) {
  return RuleCheck(rules).run(text);
}

}  // namespace deepinfer::pjrt
