#pragma once

// One function per command: declares its arguments and what it does. Each lies in a file of its
// own, <command>_command.cpp.

#include "cli/command_line.h"

namespace deepinfer::cli {

void add_run_command(Program& program);
void add_chat_command(Program& program);
void add_logits_command(Program& program);
void add_eval_command(Program& program);
void add_bench_command(Program& program);
void add_inspect_command(Program& program);
void add_check_command(Program& program);
void add_tokenize_command(Program& program);

}  // namespace deepinfer::cli
