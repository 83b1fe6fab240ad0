#pragma once

// Something that a device has yet to finish.

#include <memory>
#include <string>

#include "backend/pjrt/client/handle.h"

namespace deepinfer::pjrt {

class Client;

/// Keeps its client alive. Destroying an event does not wait for it. One thread at a time.
class Event {
 public:
  Event() = default;  ///< nothing to wait for
  /// `about` and `call` go into the errors of wait().
  Event(std::shared_ptr<const Client> client, PJRT_Event* event, std::string about,
        std::string_view call);
  ~Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&& other) noexcept = default;
  Event& operator=(Event&& other) noexcept;

  /// Returns when it is done. Throws ApiError if what it stands for failed. Waits once.
  void wait();

 private:
  std::shared_ptr<const Client> client_;
  Owned<PJRT_Event> event_;
  std::string about_;
  std::string_view call_;
};

}  // namespace deepinfer::pjrt
