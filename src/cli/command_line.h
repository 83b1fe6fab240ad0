#pragma once

// The program's command line: what a command declares, and what was given. The options that every
// model-running command shares come from option_table(), so their flags, help and checks have one
// source. This is the only face of the parsing library.
//
// Targets are filled by Program::run() before the command's action is called. One thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/options.h"

namespace deepinfer::cli {

class CommandLine {
 public:
  struct Parser;
  explicit CommandLine(std::unique_ptr<Parser> parser);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// A flag without a value. `names` as in "-x,--example".
  void flag(const std::string& names, const std::string& help, bool& target);
  /// A flag with a value. `value` names it in the help.
  void value(const std::string& names, const std::string& value, const std::string& help,
             std::optional<std::string>& target);
  /// A flag whose value may be left out, which reads as "".
  void optional_value(const std::string& names, const std::string& value, const std::string& help,
                      std::optional<std::string>& target);
  /// An argument without a flag.
  void positional(const std::string& name, const std::string& help,
                  std::optional<std::string>& target);
  /// Text at the end of the command's help.
  void footer(const std::string& text);

  /// Accepts every line of option_table().
  void all_options();
  /// Accepts one line of option_table().
  void option(std::string_view flag);

  /// Defaults, environment and flags of the accepted options. Variables of other options are not
  /// read. Throws Error (bad_input).
  ResolvedOptions resolve() const;

  /// What the command does; returns the exit code.
  void action(std::function<int()> run);

 private:
  friend class Program;
  std::unique_ptr<Parser> parser_;
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Adds a command. The reference stays valid.
  CommandLine& command(const std::string& name, const std::string& summary);

  /// Parses, then runs the chosen command's action. Prints help and version itself. Throws Error
  /// (bad_input) naming the argument for wrong usage.
  int run(int argc, const char* const* argv);

 private:
  struct State;
  std::string command_names() const;
  /// Throws Error (bad_input) if the first argument is neither a flag nor a command.
  void check_command_name(std::string_view argument) const;

  std::unique_ptr<State> state_;
};

/// Throws Error (bad_input) for the first of `flags` (of the options table) that was given a value
/// other than its default: it would have no effect in `command`.
void refuse_options(const ResolvedOptions& resolved, std::string_view command,
                    const std::vector<std::string_view>& flags);

/// Whether the option came from a flag or a variable.
bool is_given(const ResolvedOptions& resolved, std::string_view flag);

}  // namespace deepinfer::cli
