#pragma once

// Told when each member of a thread team works: for traces.

namespace deepinfer {

/// Called on the member's own thread, so implementations must not share state between members
/// without care. Must not throw, allocate or block. Owned by whoever sets it.
class ThreadObserver {
 public:
  virtual ~ThreadObserver() = default;
  virtual void work_begins(int member) = 0;
  virtual void work_ends(int member) = 0;
};

}  // namespace deepinfer
