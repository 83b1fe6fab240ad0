#include "cli/plugin_crash.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "core/foreign_call.h"

namespace deepinfer::cli {
namespace {

constexpr int kFailed = 1;  // the exit code of work that failed

struct Crash {
  int signal;
  const char* name;
  struct sigaction before;
};

std::array<Crash, 5> g_crashes = {{{SIGSEGV, "SIGSEGV", {}},
                                   {SIGBUS, "SIGBUS", {}},
                                   {SIGILL, "SIGILL", {}},
                                   {SIGFPE, "SIGFPE", {}},
                                   {SIGABRT, "SIGABRT", {}}}};

/// The rest of this file runs in a signal handler: write and _exit, nothing that allocates.
void write_text(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = write(STDERR_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

void handle(int signal, siginfo_t* info, void* /*context*/) {
  for (Crash& crash : g_crashes) {
    if (crash.signal != signal) continue;
    if (const ForeignCall* call = ForeignCall::current()) {
      for (const char* part :
           {"[", call->file(), "] the plug-in crashed in ", call->call(), " with ", crash.name,
            ", its own messages stand above if it wrote any; deepinfer inspect --machine "
            "--pjrt-plugin tries it without a model\n"})
        write_text(part);
      _exit(kFailed);
    }
    // Not a plug-in's call: whoever was asked before answers, when the instruction is tried again
    // or the signal, if a process sent it, comes again.
    sigaction(signal, &crash.before, nullptr);
    if (info->si_code <= 0) raise(signal);
    return;
  }
}

}  // namespace

void explain_plugin_crashes() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  for (Crash& crash : g_crashes) {
    struct sigaction action {};
    action.sa_sigaction = handle;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO;
    sigaction(crash.signal, &action, &crash.before);
  }
}

}  // namespace deepinfer::cli
