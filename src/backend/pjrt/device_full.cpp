#include "backend/pjrt/device_full.h"

#include <fmt/format.h>

namespace deepinfer::pjrt {

Error device_full(std::string_view name, std::string_view asked, const DeviceAccount& account,
                  std::string_view hint, const ApiError& fault) {
  std::string limit;
  std::string counted;
  if (account.counted.has_value()) {
    counted = fmt::format(" (the device counts {} in use)", account.counted->in_use);
    if (account.counted->limit.has_value())
      limit = fmt::format("at most {} bytes", *account.counted->limit);
  }
  return Error::failed("device memory", fmt::format("is full at '{}': {}", name, fault.text()),
                       {.expected = std::move(limit),
                        .got = fmt::format("weights {} + caches {} + {}{}", account.weights,
                                           account.caches, asked, counted),
                        .hint = std::string(hint)});
}

}  // namespace deepinfer::pjrt
