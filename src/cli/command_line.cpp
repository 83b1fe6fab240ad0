#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>

#include "cli/console.h"
#include "core/option_values.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

constexpr std::size_t kHelpColumn = 30;

/// Accepted options may be given several times: of most the last counts, --stop collects.
struct AcceptedOption {
  const OptionSpec* spec = nullptr;
  std::vector<std::string> texts;
};

bool is_boolean(const OptionSpec& spec) { return spec.values.substr(0, 4) == "true"; }

std::string option_help(const OptionSpec& spec) {
  std::string help(spec.help);
  const std::string standard = spec.get(Options{});
  // Where the default depends on the environment, the help tells how.
  if (!standard.empty() && !spec.default_text) help += fmt::format(" (default: {})", standard);
  if (!spec.variable.empty()) help += fmt::format(" [DEEPINFER_{}]", spec.variable);
  return help;
}

}  // namespace

struct CommandLine::Parser {
  CLI::App* app = nullptr;
  std::deque<AcceptedOption> accepted;  // a deque: the parsing library keeps addresses
  std::function<int()> action;
};

CommandLine::CommandLine(std::unique_ptr<Parser> parser) : parser_(std::move(parser)) {}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, const std::string& help, bool& target) {
  parser_->app->add_flag(names, target, help)->disable_flag_override();
}

void CommandLine::value(const std::string& names, const std::string& value, const std::string& help,
                        std::optional<std::string>& target) {
  parser_->app
      ->add_option_function<std::string>(
          names, [&target](const std::string& text) { target = text; }, help)
      ->type_name(value);
}

void CommandLine::optional_value(const std::string& names, const std::string& value,
                                 const std::string& help, std::optional<std::string>& target) {
  parser_->app
      ->add_option_function<std::string>(
          names, [&target](const std::string& text) { target = text; }, help)
      ->type_name("[" + value + "]")
      ->expected(0, 1);
}

void CommandLine::positional(const std::string& name, const std::string& help,
                             std::optional<std::string>& target) {
  parser_->app
      ->add_option_function<std::string>(
          name, [&target](const std::string& text) { target = text; }, help)
      ->type_name("");
}

void CommandLine::footer(const std::string& text) { parser_->app->footer(text); }

void CommandLine::all_options() {
  for (const OptionSpec& spec : option_table()) option(spec.flag);
}

void CommandLine::option(std::string_view flag) {
  for (const OptionSpec& spec : option_table()) {
    if (spec.flag != flag) continue;
    parser_->accepted.push_back({.spec = &spec, .texts = {}});
    AcceptedOption& accepted = parser_->accepted.back();
    std::string names(spec.flag);
    if (!spec.short_flag.empty()) names = std::string(spec.short_flag) + "," + names;
    CLI::Option* declared = parser_->app->add_option(names, accepted.texts, option_help(spec))
                                ->option_text(std::string(spec.values))
                                ->group("Options of the model and the machine");
    // `--input-on-device` alone means true; every other flag has exactly one value each time.
    if (is_boolean(spec)) declared->expected(0, 1);
    declared->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

ResolvedOptions CommandLine::resolve() const {
  std::vector<FlagValue> flags;
  for (const AcceptedOption& accepted : parser_->accepted)
    for (const std::string& text : accepted.texts)
      flags.push_back({.flag = std::string(accepted.spec->flag),
                       .text = text.empty() && is_boolean(*accepted.spec) ? "true" : text});
  const auto environment = [this](const char* name) -> const char* {
    const std::string_view variable(name);
    for (const AcceptedOption& accepted : parser_->accepted) {
      const std::string_view known = accepted.spec->variable;
      if (!known.empty() && variable.size() > known.size() &&
          variable.substr(variable.size() - known.size()) == known &&
          (variable == fmt::format("DEEPINFER_{}", known) ||
           variable == fmt::format("DEEPINFER_NEURON_{}", known)))
        return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    }
    return nullptr;
  };
  return resolve_options(flags, environment);
}

void CommandLine::action(std::function<int()> run) { parser_->action = std::move(run); }

struct Program::State {
  CLI::App app{"Runs DeepSeek-V4.1 models: static graphs, captured once per size and replayed.",
               "deepinfer"};
  std::deque<CommandLine> commands;
};

Program::Program() : state_(std::make_unique<State>()) {
  CLI::App& app = state_->app;
  app.set_version_flag("--version", "deepinfer " DEEPINFER_VERSION);
  app.require_subcommand(0, 1);  // the name of a command may be an argument of another
  app.get_formatter()->column_width(kHelpColumn);
  app.footer("deepinfer <command> --help lists the options of a command.");
}

Program::~Program() = default;

CommandLine& Program::command(const std::string& name, const std::string& summary) {
  auto parser = std::make_unique<CommandLine::Parser>();
  parser->app = state_->app.add_subcommand(name, summary);
  return state_->commands.emplace_back(std::move(parser));
}

int Program::run(int argc, const char* const* argv) {
  CLI::App& app = state_->app;
  check_command_name(argc > 1 ? argv[1] : "--help");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    write_out(chosen.empty() ? app.help() : chosen.front()->help("deepinfer"));
    return 0;
  } catch (const CLI::CallForVersion&) {
    write_out("deepinfer " DEEPINFER_VERSION "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string where =
        chosen.empty() ? "deepinfer" : "deepinfer " + chosen.front()->get_name();
    throw Error::bad_input(where, one_line(error.what()),
                           {.expected = {}, .got = {}, .hint = "see " + where + " --help"});
  }
  for (const CommandLine& command : state_->commands)
    if (command.parser_->app->parsed()) return command.parser_->action();

  throw Error::bad_input("deepinfer", "no command",
                         {.expected = command_names(), .got = {}, .hint = "see deepinfer --help"});
}

std::string Program::command_names() const {
  std::string names;
  for (const CommandLine& command : state_->commands)
    names += (names.empty() ? "" : ", ") + command.parser_->app->get_name();
  return names;
}

void Program::check_command_name(std::string_view argument) const {
  if (argument.starts_with("-")) return;
  for (const CommandLine& command : state_->commands)
    if (argument == command.parser_->app->get_name()) return;
  throw Error::bad_input(
      "deepinfer", "unknown command",
      {.expected = command_names(), .got = quoted_text(argument), .hint = "see deepinfer --help"});
}

void refuse_options(const ResolvedOptions& resolved, std::string_view command,
                    const std::vector<std::string_view>& flags) {
  for (const ResolvedOption& option : resolved.origin) {
    if (std::find(flags.begin(), flags.end(), option.spec->flag) == flags.end()) continue;
    const std::string standard = option.spec->get(Options{});
    if (option.value != standard)
      throw Error::bad_input(
          option.spec->flag, fmt::format("has no effect in `{}`", command),
          {.expected = standard.empty() ? "none" : standard, .got = option.value, .hint = {}});
  }
}

bool is_given(const ResolvedOptions& resolved, std::string_view flag) {
  return std::any_of(
      resolved.origin.begin(), resolved.origin.end(), [&](const ResolvedOption& option) {
        return option.spec->flag == flag && option.source != OptionSource::default_value;
      });
}

}  // namespace deepinfer::cli
