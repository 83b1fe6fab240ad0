// `deepinfer inspect`: shows what a model, its caches, graphs and options are, without running it.

#include <fmt/format.h>

#include <algorithm>

#include "cli/bundled_model.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/idle_options.h"
#include "cli/inspect_sections.h"
#include "core/option_values.h"
#include "deepinfer/error.h"
#include "graph/passes.h"

namespace deepinfer::cli {
namespace {

struct InspectArguments {
  CommandLine* line = nullptr;
  bool config = false;
  std::optional<std::string> tensors;
  bool caches = false;
  std::optional<std::string> graph;
  std::optional<std::string> after;
  std::optional<std::string> modules;
  std::optional<std::string> device;
  std::optional<std::string> plan;
  bool options = false;
  bool machine = false;
  bool json = false;
};

constexpr int kMostRows = 4096;  // the largest --prefill-bucket

int parse_rows(const std::string& text, std::string_view where) {
  return static_cast<int>(parse_integer({where, "integer 1..4096"}, text, 1, kMostRows));
}

void check_arguments(const InspectArguments& arguments) {
  const bool module = arguments.graph.has_value() && arguments.after.value_or("") == kModule;
  if (arguments.device.has_value() && !module && !arguments.modules.has_value())
    throw Error::bad_input("--device",
                           "has no effect without --modules or --graph N --after stablehlo");
  if (!arguments.after.has_value()) return;
  if (!arguments.graph.has_value())
    throw Error::bad_input("--after", "has no effect without --graph");
  if (*arguments.after != kNoPass && *arguments.after != kModule &&
      std::find(kPassNames.begin(), kPassNames.end(), *arguments.after) == kPassNames.end())
    throw bad_value(
        {"--after", fmt::format("{}, {}, {}", kNoPass, fmt::join(kPassNames, ", "), kModule)},
        "unknown pass", *arguments.after);
}

/// Of --device, else of the plug-in's file name; nullptr: neither is given.
const pjrt::DeviceFacts* facts_of(const InspectArguments& arguments, const Options& options) {
  if (arguments.device.has_value()) return &pjrt::facts_named(*arguments.device, "--device");
  return options.pjrt_plugin.empty() ? nullptr : &pjrt::facts_of_file(options.pjrt_plugin);
}

/// Options that none of the asked sections shows the effect of. None is idle in --options, which
/// shows every value.
void warn_idle(const InspectArguments& arguments, const ResolvedOptions& resolved) {
  const bool graph = arguments.graph.has_value() || arguments.modules.has_value();
  const bool plan = arguments.plan.has_value();
  std::vector<std::string_view> idle = {"--fullgraph",     "--input-on-device", "--engram",
                                        "--region-timing", "--trace-file",      "--trace-steps",
                                        "--alias-debug",   "--context-bucket"};
  const auto add = [&idle](bool used, const std::vector<std::string_view>& flags) {
    if (!used) idle.insert(idle.end(), flags.begin(), flags.end());
  };
  add(arguments.caches || graph || plan,
      {"--max-batch", "--prefill-bucket", "--max-context", "--kv-memory", "--block-tokens",
       "--layout", "--graph-mode"});  // which decides the layout
  add(graph || plan, {"--numerics"});
  // What scratch an op needs is the backend's to say.
  const bool asks_backend =
      plan || (arguments.graph.has_value() && arguments.after.value_or("") == "plan");
  add(asks_backend, {"--backend", "--threads", "--isa"});
  add(asks_backend, {"--compile-backend", "--compile-cache"});
  add(asks_backend || arguments.machine || arguments.modules.has_value() ||
          arguments.after.value_or("") == kModule,
      {"--pjrt-plugin"});
  add(asks_backend || arguments.machine, {"--pjrt-options"});
  warn_idle_options(resolved, idle, "on the sections asked for", false);
  if (asks_backend) warn_options_idle_in_backend(resolved, arguments.machine);
}

/// The checkpoint of the command, opened when a section first needs it.
class OpenOnce {
 public:
  explicit OpenOnce(const Options& options) : options_(options) {}
  const Checkpoint& checkpoint() {
    if (checkpoint_ == nullptr) checkpoint_ = Checkpoint::open(model_directory(options_));
    return *checkpoint_;
  }

 private:
  const Options& options_;
  std::shared_ptr<const Checkpoint> checkpoint_;
};

using NamedSection = std::pair<std::string, Section>;

std::vector<NamedSection> make_sections(const InspectArguments& arguments,
                                        const ResolvedOptions& resolved) {
  const Options& options = resolved.options;
  OpenOnce model(options);
  std::vector<NamedSection> sections;
  const bool nothing_asked = !arguments.config && !arguments.tensors.has_value() &&
                             !arguments.caches && !arguments.graph.has_value() &&
                             !arguments.modules.has_value() && !arguments.plan.has_value() &&
                             !arguments.options && !arguments.machine;
  if (arguments.config || nothing_asked)
    sections.emplace_back("config", config_section(read_config(model_directory(options))));
  if (arguments.tensors.has_value())
    sections.emplace_back("tensors", tensors_section(model.checkpoint(), *arguments.tensors));
  if (arguments.caches)
    sections.emplace_back("caches", caches_section(read_config(model_directory(options)), options));
  if (arguments.graph.has_value()) {
    const int rows = parse_rows(*arguments.graph, "--graph");
    const std::string after = arguments.after.value_or("");
    const ModelConfig config = read_config(model_directory(options));
    sections.emplace_back("graph", after == kModule ? module_section(config, options, rows,
                                                                     facts_of(arguments, options))
                                                    : graph_section(config, options, rows, after));
  }
  if (arguments.modules.has_value()) {
    const pjrt::DeviceFacts* facts = facts_of(arguments, options);
    sections.emplace_back("modules",
                          modules_section(read_config(model_directory(options)), options,
                                          parse_rows(*arguments.modules, "--modules"),
                                          facts == nullptr ? pjrt::other_facts() : *facts));
  }
  if (arguments.plan.has_value())
    sections.emplace_back(
        "plan", plan_section(read_config(model_directory(options)), model_directory(options),
                             options, parse_rows(*arguments.plan, "--plan")));
  if (arguments.options) sections.emplace_back("options", options_section(resolved));
  if (arguments.machine) sections.emplace_back("machine", machine_section(options));
  return sections;
}

int inspect(const InspectArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  check_arguments(arguments);
  if (!arguments.options) {
    refuse_options(
        resolved, "inspect",
        {"--seed", "--temperature", "--top-p", "--top-k", "--min-p", "--max-tokens", "--stop"});
    warn_idle(arguments, resolved);
  }
  const std::vector<NamedSection> sections = make_sections(arguments, resolved);
  const bool failed = std::any_of(sections.begin(), sections.end(),
                                  [](const auto& named) { return named.second.failed; });
  if (arguments.json) {
    Json json = Json::object();
    for (const auto& [name, section] : sections) json[name] = section.json;
    write_out(to_text(sections.size() == 1 ? sections.front().second.json : json));
    return failed ? 1 : 0;
  }
  std::string text;
  for (const auto& [name, section] : sections) {
    if (sections.size() > 1) text += (text.empty() ? "" : "\n") + ("== " + name + "\n");
    text += section.text;
  }
  write_out(text);
  return failed ? 1 : 0;
}

}  // namespace

void add_inspect_command(Program& program) {
  auto arguments = std::make_shared<InspectArguments>();
  CommandLine& line = program.command(
      "inspect", "shows a model, its caches, graphs and options without running it");
  arguments->line = &line;
  line.flag("--config", "the model's config (the default)", arguments->config);
  line.optional_value("--tensors", "GLOB", "the checkpoint's tensors, all or by a pattern",
                      arguments->tensors);
  line.flag("--caches", "where each layer's caches lie", arguments->caches);
  line.value("--graph", "N", "the graph of a step of N rows", arguments->graph);
  line.value("--after", "PASS",
             "with --graph: after the pass none (as built), verify, canonicalise, fuse or plan; or "
             "stablehlo, the module that a plug-in compiles",
             arguments->after);
  line.value("--modules", "N",
             "every program of a step of N rows in --graph-mode, checked against the rules of "
             "--device; exit code 1 if one breaks them",
             arguments->modules);
  line.value("--device", "KIND",
             "with --modules or --after stablehlo: cpu, neuron, cuda, tpu or other; by the name of "
             "--pjrt-plugin where not given",
             arguments->device);
  line.value("--plan", "N", "memory of a step of N rows: weights, caches, every value's place",
             arguments->plan);
  line.flag("--options", "the value of every option, and where it is from", arguments->options);
  line.flag(
      "--machine",
      "processors, instruction sets and memory; with --pjrt-plugin also the plug-in's devices",
      arguments->machine);
  line.flag("--json", "as JSON: one section alone, several as an object by name", arguments->json);
  line.all_options();
  line.action([arguments] { return inspect(*arguments); });
}

}  // namespace deepinfer::cli
