#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace deepinfer::cli {
namespace {

volatile std::sig_atomic_t g_remember = 0;
volatile std::sig_atomic_t g_interrupted = 0;

void handle(int /*signal*/) {
  if (g_remember == 0 || g_interrupted != 0) _exit(kInterruptedExit);
  g_interrupted = 1;
}

void install() {
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: a read of the terminal must return
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

void exit_on_interrupt() {
  g_remember = 0;
  install();
}

void remember_interrupts() {
  g_remember = 1;
  install();
}

bool interrupted() { return g_interrupted != 0; }
void clear_interrupt() { g_interrupted = 0; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

}  // namespace deepinfer::cli
