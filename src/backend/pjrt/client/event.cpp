#include "backend/pjrt/client/event.h"

#include <utility>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/client.h"

namespace deepinfer::pjrt {

Event::Event(std::shared_ptr<const Client> client, PJRT_Event* event, std::string about,
             std::string_view call)
    : client_(std::move(client)),
      event_(event, Destroy{&client_->plugin().api()}),
      about_(std::move(about)),
      call_(call) {}

Event& Event::operator=(Event&& other) noexcept {
  event_ = std::move(other.event_);
  about_ = std::move(other.about_);
  call_ = other.call_;
  client_ = std::move(other.client_);  // last: what was held before lived of it
  return *this;
}

void Event::wait() {
  if (event_ == nullptr) return;
  const Owned<PJRT_Event> event = std::move(event_);
  const Api& api = client_->plugin().api();
  auto args = make_args<PJRT_Event_Await_Args>();
  args.event = event.get();
  Owned<PJRT_Error> error(enter(api, args), Destroy{&api});
  // The error is that of the work waited for, seldom of the waiting.
  if (error != nullptr)
    throw_api_error(api, std::move(error), about_, std::string(call_) + ", awaited,");
}

}  // namespace deepinfer::pjrt
