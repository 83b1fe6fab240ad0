#pragma once

// ForeignCall: marks that this thread is inside code that is not ours, such as a plug-in's. What a
// signal handler needs to say whose crash it was.
//
// Scoped; may nest. Thread-local. `current` and the accessors may be called in a signal handler.

namespace deepinfer {

class ForeignCall {
 public:
  /// `file` holds the code, `call` is its name for it; both must outlive the scope.
  ForeignCall(const char* file, const char* call);
  ~ForeignCall();
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  /// The innermost one of this thread; nullptr: it runs our own code.
  static const ForeignCall* current();

  const char* file() const { return file_; }
  const char* call() const { return call_; }

 private:
  const char* file_;
  const char* call_;
  const ForeignCall* outer_;
};

}  // namespace deepinfer
