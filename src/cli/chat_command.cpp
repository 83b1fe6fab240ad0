// `deepinfer chat`: a conversation in the terminal.

#include <unistd.h>

#include "cli/bundled_model.h"
#include "cli/bundled_plugin.h"
#include "cli/chat_session.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/engine_start.h"
#include "cli/idle_options.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/observation.h"
#include "core/option_values.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

constexpr const char* kHelp =
    "/reset          forget the conversation\n"
    "/think on|off   let the model think before it answers, or not\n"
    "/stats          speed of the last answer\n"
    "/help           this list\n"
    "/quit           leave (or end the input: Ctrl-D)\n"
    "Ctrl-C stops an answer.";

struct ChatArguments {
  CommandLine* line = nullptr;
  std::optional<std::string> think;
};

bool parse_on_off(std::string_view text, std::string_view where) {
  if (text == "on") return true;
  if (text == "off") return false;
  throw bad_value({where, "on or off"}, "unknown value", text);
}

/// Carries out a line that starts with a slash; false: leave.
bool obey(ChatSession& session, const std::string& line) {
  constexpr std::string_view kThink = "/think";
  if (line == "/quit" || line == "/exit") return false;
  if (line == "/help") {
    say(kHelp);
  } else if (line == "/reset") {
    session.reset();
    say("(conversation forgotten)");
  } else if (line == "/stats") {
    say(session.stats());
  } else if (line.compare(0, kThink.size(), kThink) == 0 &&
             (line.size() == kThink.size() || line[kThink.size()] == ' ')) {
    const std::size_t word = line.find_first_not_of(' ', kThink.size());
    const std::string value = word == std::string::npos ? std::string() : line.substr(word);
    session.set_thinking(parse_on_off(value, "/think"));
    say(session.thinking() ? "(thinking on)" : "(thinking off)");
  } else {
    say("no such command: " + quoted_text(line) + ", /help lists them");
  }
  return true;
}

void converse(ChatSession& session) {
  const bool prompting = isatty(STDIN_FILENO) == 1 && stdout_is_terminal();
  LineReader reader;
  std::string line;
  while (true) {
    if (prompting) write_out("> ");
    const LineReader::Result result = reader.next(line);
    if (result == LineReader::Result::end) break;
    if (result == LineReader::Result::interrupted) {
      clear_interrupt();
      say("\n(/quit leaves)");
      continue;
    }
    if (line.empty()) continue;
    try {
      if (line.front() != '/')
        session.answer(line);
      else if (!obey(session, line))
        return;
    } catch (const Error& error) {
      // What one line got wrong does not end the conversation; a failed device or disk does.
      if (error.kind() == Error::Kind::failed) throw;
      say(one_line(error.what()));
    }
  }
  if (prompting) write_out("\n");
}

int chat(const ChatArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  Options options = resolved.options;
  options.model = model_directory(options);
  options.pjrt_plugin = plugin_file(options);
  const bool think = !arguments.think.has_value() || parse_on_off(*arguments.think, "--think");

  Observation observation(options, false);

  remember_interrupts();
  const StartedEngine started = start_engine(options);
  say_options(resolved);
  warn_options_idle_in_greedy(resolved);
  say_start(started);
  started.engine->observe(observation.watcher());
  ChatSession session(*started.engine, is_given(resolved, "--max-tokens"));
  session.set_thinking(think);
  converse(session);
  observation.finish();
  return 0;
}

}  // namespace

void add_chat_command(Program& program) {
  auto arguments = std::make_shared<ChatArguments>();
  CommandLine& line = program.command("chat", "holds a conversation in the terminal");
  arguments->line = &line;
  line.value("--think", "on|off", "the model thinks before it answers (default: on)",
             arguments->think);
  line.all_options();
  line.footer(std::string("In the conversation:\n") + kHelp);
  line.action([arguments] { return chat(*arguments); });
}

}  // namespace deepinfer::cli
