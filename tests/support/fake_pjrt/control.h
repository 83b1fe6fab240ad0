#pragma once

// What a test sets and reads of the fake plug-in: one struct inside the shared object, found with
// dlsym. Tests set and read it while no call is under way; calls may come from several threads.

namespace deepinfer::pjrt::fake {

struct Control {
  // Set by tests.
  int fail_at = 0;               ///< the call that fails, counted from 1; 0: none
  bool crash = false;            ///< it ends the process with SIGABRT instead
  int fail_code = 13;            ///< its PJRT_Error_Code
  bool fail_code_query = false;  ///< PJRT_Error_GetCode fails as well
  bool fail_later = false;       ///< executions start and fail afterwards, as their events say
  bool lacks_f4 = false;         ///< has no type f4E2M1FN
  bool no_devices = false;
  bool no_memory_statistics = false;   ///< says that they are unimplemented
  const char* refused_text = nullptr;  ///< programs whose text has this cannot be compiled …
  int refusals = 0;                    ///< … for the next so many tries
  int compile_together = 0;       ///< a compile waits until so many are under way; 0: it does not
  bool no_serialisation = false;  ///< says that it is unimplemented
  long long temporary_bytes = 0;  ///< what every program works in …
  bool copies_roots = false;      ///< … and parameters that results take over are copied there

  // Read by tests.
  int calls = 0;                      ///< those that can fail
  const char* failed_call = nullptr;  ///< the entry's name
  int live = 0;                       ///< objects handed out and not given back
  int compiles = 0;                   ///< that were asked for
  int misuses = 0;                    ///< unknown handles, wrong struct sizes, destroyed twice
};

/// The plug-in exports `fake_pjrt_control` of this type; calling it changes nothing.
using ControlFunction = Control* (*)();

/// What the plug-in's table claims to be, for the next GetPjrtApi.
struct Claim {
  int major = 0;
  int minor = 81;
  unsigned long table_bytes = 0;  ///< 0: the whole table
};
/// The plug-in exports `fake_pjrt_claim` of this type.
using ClaimFunction = Claim* (*)();

}  // namespace deepinfer::pjrt::fake
