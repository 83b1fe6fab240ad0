#include "tests/support/fake_pjrt/objects.h"

#include <cstdlib>
#include <mutex>
#include <set>

namespace deepinfer::pjrt::fake {
namespace {

std::set<const void*>& live_objects() {
  static std::set<const void*> objects;
  return objects;
}

/// Of the book and of what the control counts.
std::mutex& book() {
  static std::mutex mutex;
  return mutex;
}

/// The number of the call that fails if this is the one, else 0; -1: its arguments are wrong.
int count_call(const char* entry, std::size_t got_bytes, std::size_t expected_bytes) {
  const std::scoped_lock lock(book());
  Control& state = control();
  ++state.calls;
  if (got_bytes != expected_bytes) {
    ++state.misuses;
    return -1;
  }
  if (state.calls != state.fail_at) return 0;
  if (state.crash) std::abort();
  state.failed_call = entry;
  return state.calls;
}

}  // namespace

Control& control() {
  static Control control = [] {
    Control start;
    // For programs that a test starts: FAKE_PJRT_CRASH_AT is the call that crashes.
    if (const char* at = std::getenv("FAKE_PJRT_CRASH_AT")) {
      start.fail_at = std::atoi(at);
      start.crash = true;
    }
    return start;
  }();
  return control;
}

void add_live(const void* object) {
  const std::scoped_lock lock(book());
  live_objects().insert(object);
  ++control().live;
}

bool remove_live(const void* object) {
  const std::scoped_lock lock(book());
  if (live_objects().erase(object) == 0) {
    ++control().misuses;
    return false;
  }
  --control().live;
  return true;
}

bool is_live(const void* object) {
  const std::scoped_lock lock(book());
  if (live_objects().contains(object)) return true;
  ++control().misuses;
  return false;
}

PJRT_Error* error(int code, std::string text) {
  return make_live(PJRT_Error{.text = std::move(text), .code = code});
}

PJRT_Error* enter(const char* entry, std::size_t got_bytes, std::size_t expected_bytes) {
  const int fault = count_call(entry, got_bytes, expected_bytes);
  if (fault == 0) return nullptr;
  if (fault < 0)
    return error(PJRT_Error_Code_INVALID_ARGUMENT,
                 std::string(entry) + " was given arguments of another size");
  return error(control().fail_code, "injected fault " + std::to_string(fault));
}

std::size_t element_bytes(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_S64:
      return 8;
    case PJRT_Buffer_Type_F32:
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
      return 4;
    case PJRT_Buffer_Type_BF16:
    case PJRT_Buffer_Type_F16:
      return 2;
    default:
      return 1;
  }
}

}  // namespace deepinfer::pjrt::fake
