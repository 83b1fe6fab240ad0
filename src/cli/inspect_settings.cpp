// inspect --options and --machine: what was chosen and why, and what there is to run on.

#include <fmt/format.h>

#include "backend/cpu/isa_selection.h"
#include "cli/inspect_sections.h"
#include "cli/start_table.h"
#include "core/processor_count.h"
#include "core/system_memory.h"
#include "core/thread_pool.h"

namespace deepinfer::cli {
namespace {

std::string source_text(const ResolvedOption& option) {
  switch (option.source) {
    case OptionSource::default_value:
      return "default";
    case OptionSource::environment:
      return option.variable;
    case OptionSource::flag:
      return "flag";
  }
  return "?";
}

}  // namespace

Section options_section(const ResolvedOptions& resolved) {
  Section section{.text = {}, .json = Json::object()};
  for (const ResolvedOption& option : resolved.origin) {
    const std::string flag(option.spec->flag);
    section.text += fmt::format("{:<20} {:<24} {}\n", flag, option.value, source_text(option));
    section.json[flag.substr(2)] = {{"value", option.value}, {"source", source_text(option)}};
  }
  return section;
}

Section machine_section(const Options& options) {
  Json isas = Json::array();
  std::string isa_names;
  for (const cpu::Isa isa : cpu::supported_isas()) {
    isas.push_back(cpu::name_of(isa));
    isa_names += (isa_names.empty() ? "" : ", ") + std::string(cpu::name_of(isa));
  }
  const int threads = ThreadPool::default_threads();
  const std::int64_t memory = available_memory();
  Section section = {
      .text = fmt::format("processors allowed       {}\nphysical cores allowed   {}\n"
                          "default threads          {}\ninstruction sets         {}\n"
                          "available memory         {} ({} bytes)\n",
                          allowed_processors(), allowed_physical_cores(), threads, isa_names,
                          human_bytes(memory), memory),
      .json = {{"processors", allowed_processors()},
               {"physical_cores", allowed_physical_cores()},
               {"default_threads", threads},
               {"isa", isas},
               {"available_memory", memory}}};
  if (options.pjrt_plugin.empty()) return section;
  Section plugin = plugin_section(options);
  section.text += plugin.text;
  section.json["pjrt_plugin"] = std::move(plugin.json);
  return section;
}

}  // namespace deepinfer::cli
