// `deepinfer check`: every fault of a checkpoint directory, one per line.

#include <fmt/format.h>

#include "cli/bundled_model.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress_bar.h"
#include "deepinfer/error.h"
#include "model/model.h"

namespace deepinfer::cli {
namespace {

constexpr int kFaulty = 2;

struct CheckArguments {
  CommandLine* line = nullptr;
  std::optional<std::string> directory;
  bool deep = false;
};

int check(const CheckArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  Options options = resolved.options;
  if (arguments.directory.has_value()) {
    for (const ResolvedOption& option : resolved.origin)
      if (option.spec->flag == "--model" && option.source == OptionSource::flag)
        throw Error::bad_input(
            "--model", "the directory is given twice",
            {.expected = "one directory", .got = "--model and an argument", .hint = {}});
    options.model = *arguments.directory;
  }
  ProgressBar bar("reading weights");
  const std::vector<std::string> faults = check_model(
      model_directory(options),
      {.deep = arguments.deep,
       .progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.update(done, total); }});
  bar.end();
  std::string text;
  for (const std::string& fault : faults) text += one_line(fault) + "\n";
  text += faults.empty() ? "ok\n" : fmt::format("{} faults\n", faults.size());
  write_out(text);
  return faults.empty() ? 0 : kFaulty;
}

}  // namespace

void add_check_command(Program& program) {
  auto arguments = std::make_shared<CheckArguments>();
  CommandLine& line =
      program.command("check", "validates a checkpoint directory without loading it");
  arguments->line = &line;
  line.positional("directory", "the same as --model", arguments->directory);
  line.flag("--deep", "also reads all weights and looks for NaN codes", arguments->deep);
  line.option("--model");
  line.footer(
      "One line per fault, then `ok` (exit code 0) or `N faults` (exit code 2). Stricter than "
      "`run`, which only warns of what does it no harm: bytes behind the last tensor, tensors that "
      "the model has no use for, a wrong total_size.");
  line.action([arguments] { return check(*arguments); });
}

}  // namespace deepinfer::cli
