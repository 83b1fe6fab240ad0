// inspect --machine --pjrt-plugin: what a plug-in is and what devices it has.

#include <fmt/format.h>

#include "cli/inspect_sections.h"
#include "cli/start_table.h"
#include "deepinfer/error.h"

#ifdef DEEPINFER_PJRT
#include "backend/pjrt/device.h"
#endif

namespace deepinfer::cli {

#ifdef DEEPINFER_PJRT
namespace {

std::string line(std::string_view name, std::string_view value) {
  return fmt::format("{:<28} {}\n", name, value);
}

std::string version_text(pjrt::ApiVersion version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

Json attributes_json(const std::vector<pjrt::Attribute>& attributes) {
  Json json = Json::object();
  for (const pjrt::Attribute& attribute : attributes) json[attribute.name] = attribute.value;
  return json;
}

std::string memory_text(const std::optional<pjrt::DeviceMemory>& memory) {
  if (!memory.has_value()) return "memory not counted";
  std::string text = human_bytes(memory->in_use) + " in use";
  if (memory->limit.has_value()) text += " of " + human_bytes(*memory->limit);
  if (memory->peak.has_value()) text += ", at most " + human_bytes(*memory->peak);
  if (memory->largest_free.has_value())
    text += ", largest free block " + human_bytes(*memory->largest_free);
  return text;
}

Json memory_json(const std::optional<pjrt::DeviceMemory>& memory) {
  if (!memory.has_value()) return nullptr;
  Json json = {{"in_use", memory->in_use}};
  if (memory->limit.has_value()) json["limit"] = *memory->limit;
  if (memory->peak.has_value()) json["peak"] = *memory->peak;
  if (memory->largest_free.has_value()) json["largest_free"] = *memory->largest_free;
  return json;
}

void add_device(const pjrt::DeviceInfo& device, Section& section) {
  section.text += line(
      fmt::format("device {}", device.id),
      fmt::format("{} ({}), {}, memories: {}", device.kind, device.text, memory_text(device.memory),
                  device.memory_kinds.empty()
                      ? std::string("not named")
                      : fmt::format("{}", fmt::join(device.memory_kinds, ", "))));
  for (const pjrt::Attribute& attribute : device.attributes)
    section.text += line("  " + attribute.name, attribute.value);
  Json json = {{"id", device.id},
               {"kind", device.kind},
               {"text", device.text},
               {"memory_kinds", device.memory_kinds},
               {"attributes", attributes_json(device.attributes)},
               {"memory", memory_json(device.memory)}};
  if (device.hardware_id.has_value()) json["hardware_id"] = *device.hardware_id;
  section.json["devices"].push_back(std::move(json));
}

/// What is taken for granted of the plug-in's family.
void add_facts(const pjrt::DeviceFacts& facts, Section& section) {
  section.json["facts"] = Json::object();
  for (const auto& [name, value] : pjrt::list_facts(facts)) {
    section.text += line("  " + name, value);
    section.json["facts"][name] = value;
  }
}

}  // namespace

Section plugin_section(const Options& options) {
  const std::string& file = options.pjrt_plugin;
  const pjrt::OpenDevice device = pjrt::open_device(file, options.pjrt_options);
  const pjrt::Client* const client = device.client.get();
  const pjrt::Plugin* const plugin = &client->plugin();
  const std::string version = version_text(plugin->version());
  const std::string header = version_text(pjrt::Plugin::header_version());
  Section section;
  section.text = line("PJRT plug-in", file) +
                 line("  PJRT API", fmt::format("{} (this build: {})", version, header)) +
                 line("  platform", client->platform()) +
                 line("  platform version", client->platform_version());
  for (const pjrt::Attribute& attribute : plugin->attributes())
    section.text += line("  " + attribute.name, attribute.value);
  section.json = {{"file", file},
                  {"pjrt_api", version},
                  {"header_pjrt_api", header},
                  {"platform", client->platform()},
                  {"platform_version", client->platform_version()},
                  {"attributes", attributes_json(plugin->attributes())},
                  {"devices", Json::array()}};
  for (const pjrt::DeviceInfo& info : client->devices()) add_device(info, section);
  add_facts(*device.facts, section);
  return section;
}
#else
Section plugin_section(const Options& /*options*/) {
  throw Error::bad_input("--pjrt-plugin", "this build cannot load PJRT plug-ins",
                         {.expected = {}, .got = {}, .hint = "run make pjrt and build again"});
}
#endif

}  // namespace deepinfer::cli
