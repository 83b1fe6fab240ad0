#pragma once

// Ctrl-C (SIGINT). A command either ends at once with exit code 130, or asks for a flag and stops
// where its work can stop. Process-wide.

namespace deepinfer::cli {

/// Unwinds a command that was interrupted; main() ends with 130.
struct Interrupted {};

constexpr int kInterruptedExit = 130;  // interface section 2: 130 interrupted

/// SIGINT ends the program with 130.
void exit_on_interrupt();

/// SIGINT sets the flag; a second one before clear_interrupt() ends the program.
void remember_interrupts();

bool interrupted();
void clear_interrupt();

/// Throws Interrupted if the flag is set.
void throw_if_interrupted();

}  // namespace deepinfer::cli
