#pragma once

// Told what a run does, while it does it: for timings, profiles and traces.

#include "core/thread_observer.h"

namespace deepinfer {

/// Ops and regions are announced in order, on the thread that runs the step; work_begins() and
/// work_ends() of an op come from every member of the team in between. `node` counts the nodes of
/// the executable's graph, `call` the calls of its region plan (only in mode `regions`). Must not
/// throw, allocate or block: it runs inside a replay.
class StepObserver : public ThreadObserver {
 public:
  virtual void op_begins(int node) = 0;
  virtual void op_ends(int node) = 0;
  virtual void region_begins(int call) = 0;
  virtual void region_ends(int call) = 0;
};

}  // namespace deepinfer
