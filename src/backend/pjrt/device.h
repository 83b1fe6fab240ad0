#pragma once

// Opening a plug-in's device with what is known of its family (facts/device_facts.h): the
// environment before it is loaded, options of its client, a clear text where it does not start.

#include <memory>
#include <string>
#include <string_view>

#include "backend/pjrt/client/client.h"
#include "backend/pjrt/facts/device_facts.h"

namespace deepinfer::pjrt {

struct OpenDevice {
  const DeviceFacts* facts = nullptr;  ///< static
  std::shared_ptr<const Client> client;
};

/// `own_options`: "name=value,name=value" of the plug-in's client, before those that its family is
/// given. Throws Error (bad_input) if `file` is no plug-in that can be loaded here or the options
/// cannot be read, Error (failed) with the plug-in's own text if its client does not start.
OpenDevice open_device(const std::string& file, std::string_view own_options);

}  // namespace deepinfer::pjrt
