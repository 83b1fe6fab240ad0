#include "core/foreign_call.h"

namespace deepinfer {
namespace {

// Initialised with a constant, so that reading it in a signal handler allocates nothing.
thread_local constinit const ForeignCall* t_current = nullptr;

}  // namespace

ForeignCall::ForeignCall(const char* file, const char* call)
    : file_(file), call_(call), outer_(t_current) {
  t_current = this;
}

ForeignCall::~ForeignCall() { t_current = outer_; }

const ForeignCall* ForeignCall::current() { return t_current; }

}  // namespace deepinfer
