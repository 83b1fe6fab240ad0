#pragma once

// Starting an engine for a person: progress bar, Ctrl-C, timings and the start table.

#include <memory>
#include <string>

#include "cli/start_table.h"
#include "deepinfer/engine.h"

namespace deepinfer::cli {

struct StartedEngine {
  std::unique_ptr<Engine> engine;
  double load_ms = 0;     ///< opening the checkpoint and taking memory
  double capture_ms = 0;  ///< building, compiling and running every graph once
};

/// Options with the model's directory filled in. Throws Error or Interrupted.
StartedEngine start_engine(const Options& options);

/// A capture's progress on stderr; throws Interrupted between two graphs.
CaptureProgress show_capture();

/// Says which options were not left at their defaults, at log level debug, and which of those the
/// backend makes no use of, as warnings.
void say_options(const ResolvedOptions& resolved);

/// Says the start table and the checkpoint's warnings, as far as the log level wants them. Called
/// once the request is known to be good, so that an error is the only line on stderr.
void say_start(const StartedEngine& started);

/// Says what the capture did otherwise than asked (log level warning) and, with --alias-debug,
/// which graph inputs share bytes.
void say_capture(const Options& options, const GraphRunner& runner);

/// The same for any captured model.
void say_start(const Options& options, const Checkpoint& checkpoint, const StartInfo& info);

/// What compiling and first runs took together.
double milliseconds_of(const std::vector<CaptureInfo>& captures);

}  // namespace deepinfer::cli
