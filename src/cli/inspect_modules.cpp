// inspect --modules: the programs of a step, checked against what a device's compiler refuses.

#include <fmt/format.h>

#include <algorithm>

#include "backend/pjrt/facts/module_set.h"
#include "cli/inspect_sections.h"
#include "cli/planned_step.h"
#include "cli/start_table.h"
#include "graph/passes.h"

namespace deepinfer::cli {
namespace {

constexpr std::size_t kMostShown = 20;  // violations of one module, as text

struct Checked {
  pjrt::SetModule entry;
  std::vector<pjrt::Violation> faults;
  std::size_t lines = 0;
};

Json module_json(const Checked& checked) {
  Json faults = Json::array();
  for (const pjrt::Violation& fault : checked.faults)
    faults.push_back({{"line", fault.line}, {"what", fault.what}});
  return {{"name", checked.entry.name},
          {"runs", checked.entry.runs},
          {"lines", checked.lines},
          {"bytes", checked.entry.module.text.size()},
          {"parameters", checked.entry.module.parameters.size()},
          {"results", checked.entry.module.results.size()},
          {"violations", faults}};
}

std::string module_text(const Checked& checked) {
  std::string text =
      fmt::format("  {:<24} {:>5} {:>8} {:>11} {:>11} {:>8}\n", checked.entry.name,
                  checked.entry.runs, checked.lines, human_bytes(checked.entry.module.text.size()),
                  checked.entry.module.parameters.size(), checked.entry.module.results.size());
  const std::size_t shown = std::min(checked.faults.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("    line {}: {}\n", checked.faults[i].line, checked.faults[i].what);
  if (checked.faults.size() > shown)
    text += fmt::format("    and {} more\n", checked.faults.size() - shown);
  return text;
}

}  // namespace

Section modules_section(const ModelConfig& config, const Options& options, int rows,
                        const pjrt::DeviceFacts& facts) {
  const PlannedStep step(config, options_for(options, facts), rows);
  const Graph graph = graph_for(options.graph_mode, step.graph);
  const WeightTypes types(config);
  pjrt::LowerOptions lowering{.types = facts.types};
  lowering.plain_type = [&types](const Value& value) { return types.of(value); };

  Section section;
  section.text = fmt::format(
      "modules of a step of {} rows, mode {}, device {}\n  {:<24} {:>5} {:>8} {:>11} "
      "{:>11} {:>8}\n",
      rows, name_of(options.graph_mode), facts.family, "module", "runs", "lines", "text",
      "parameters", "results");
  Json list = Json::array();
  std::size_t runs = 0;
  std::size_t faults = 0;
  for (pjrt::SetModule& entry : pjrt::module_set(graph, options.graph_mode, lowering)) {
    Checked checked{.entry = std::move(entry), .faults = {}, .lines = 0};
    const std::string& text = checked.entry.module.text;
    checked.faults = pjrt::check(checked.entry, graph, facts.rules);
    checked.lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    runs += checked.entry.runs;
    faults += checked.faults.size();
    section.text += module_text(checked);
    list.push_back(module_json(checked));
  }
  section.text += fmt::format("{} distinct modules, {} runs per step; {}\n", list.size(), runs,
                              faults == 0 ? std::string("all keep the device's rules")
                                          : fmt::format("{} violations", faults));
  section.json = {{"rows", rows},           {"mode", name_of(options.graph_mode)},
                  {"device", facts.family}, {"distinct", list.size()},
                  {"runs", runs},           {"violations", faults},
                  {"modules", list}};
  section.failed = faults > 0;
  return section;
}

}  // namespace deepinfer::cli
