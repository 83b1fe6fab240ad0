// inspect --tensors: what the headers say.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include "cli/inspect_sections.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {

Section tensors_section(const Checkpoint& checkpoint, const std::string& glob) {
  Section section{.text = {}, .json = Json::array()};
  std::uint64_t bytes = 0;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    if (!glob.empty() && fnmatch(glob.c_str(), tensor.name.c_str(), 0) != 0) continue;
    bytes += tensor.data.size();
    section.text += fmt::format(
        "{:<52} {:<8} {:<20} {:>12}  {}\n", tensor.name, name_of(tensor.dtype),
        fmt::format("[{}]", fmt::join(tensor.shape, ", ")), tensor.data.size(), tensor.file);
    section.json.push_back({{"name", tensor.name},
                            {"dtype", name_of(tensor.dtype)},
                            {"shape", tensor.shape},
                            {"bytes", tensor.data.size()},
                            {"file", tensor.file},
                            {"file_offset", tensor.file_offset}});
  }
  if (section.json.empty())
    throw Error::bad_input(
        "--tensors", "no tensor has such a name",
        {.expected = "a pattern such as 'layers.0.*'", .got = "'" + glob + "'", .hint = {}});
  section.text += fmt::format("{} tensors, {} bytes\n", section.json.size(), bytes);
  return section;
}

}  // namespace deepinfer::cli
