// The program `deepinfer`: chooses the command, and turns whatever went wrong into one line on
// stderr and an exit code (interface: 0 done, 1 the work failed, 2 wrong input, 130 interrupted).

#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/plugin_crash.h"
#include "deepinfer/error.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kOutputClosed = 141;  // what a shell shows for a program that SIGPIPE ended

int run(int argc, const char* const* argv) {
  using namespace deepinfer;
  cli::Program program;
  cli::add_run_command(program);
  cli::add_chat_command(program);
  cli::add_logits_command(program);
  cli::add_eval_command(program);
  cli::add_bench_command(program);
  cli::add_inspect_command(program);
  cli::add_check_command(program);
  cli::add_tokenize_command(program);
  try {
    return program.run(argc, argv);
  } catch (const Error& error) {
    cli::say(cli::one_line(error.what()));
    return error.kind() == Error::Kind::bad_input ? kBadInput : kFailed;
  } catch (const cli::Interrupted&) {
    return cli::kInterruptedExit;
  } catch (const cli::OutputClosed&) {
    return kOutputClosed;
  } catch (const std::bad_alloc&) {
    cli::say("[deepinfer] out of memory");
    return kFailed;
  } catch (const std::exception& error) {
    cli::say(cli::one_line(error.what()));
    return kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  deepinfer::cli::exit_on_interrupt();
  deepinfer::cli::explain_plugin_crashes();
  return run(argc, argv);
}
