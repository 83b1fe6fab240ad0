#include "backend/pjrt/device.h"

#include <fmt/format.h>

#include "backend/pjrt/client/compile_options.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

std::shared_ptr<const Client> start(const std::string& file,
                                    const std::vector<NamedOption>& options) {
  const auto plugin = Plugin::load(file);
  const auto awaits = [&file](std::string_view platform) {
    return facts_of(file, platform).awaits_runs;
  };
  try {
    return Client::open(plugin, options, awaits);
  } catch (const ApiError& error) {
    throw Error::failed(
        file,
        fmt::format("no device of this plug-in starts: {}: {}", name_of(error.code()),
                    error.text()),
        {.expected = {}, .got = {}, .hint = std::string(facts_of_file(file).start_hint)});
  }
}

}  // namespace

OpenDevice open_device(const std::string& file, std::string_view own_options) {
  const DeviceFacts& by_file = facts_of_file(file);
  const std::vector<NamedOption> options =
      client_options(by_file, parse_compile_options(own_options, "--pjrt-options"));
  const ApiVersion header = Plugin::header_version();
  prepare_environment(by_file, file, fmt::format("{}.{}", header.major, header.minor));
  OpenDevice device;
  device.client = start(file, options);
  device.facts = &facts_of(file, device.client->platform());
  return device;
}

}  // namespace deepinfer::pjrt
