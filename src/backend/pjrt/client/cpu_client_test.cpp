#include "backend/pjrt/client/cpu_client_test.h"

#include <cstdlib>
#include <filesystem>

namespace deepinfer::pjrt::test {

std::shared_ptr<const Client> cpu_client() {
  static const std::shared_ptr<const Client> client = []() -> std::shared_ptr<const Client> {
    if (!std::filesystem::exists(DEEPINFER_PJRT_PLUGIN)) return nullptr;
    setenv("PJRT_NPROC", "1", 1);
    const std::vector<NamedOption> one_device = {
        {.name = "cpu_device_count", .value = std::int64_t{1}}};
    return Client::open(Plugin::load(DEEPINFER_PJRT_PLUGIN), one_device);
  }();
  return client;
}

}  // namespace deepinfer::pjrt::test
