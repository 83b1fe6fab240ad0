#pragma once

// Where the readers of this layer report a fault they can step over.
//
// open() passes a sink that throws, so it stops at the first fault; `check` passes one that
// collects, so it sees them all. Code behind a call of the sink must cope with the fault it
// reported.

#include <functional>

#include "deepinfer/error.h"

namespace deepinfer {

using FaultSink = std::function<void(const Error&)>;

inline FaultSink throwing_sink() {
  return [](const Error& error) { throw error; };
}

}  // namespace deepinfer
