#include "backend/pjrt/alias_probe.h"

#include <array>
#include <utility>

#include "backend/pjrt/stablehlo/module_writer.h"

namespace deepinfer::pjrt {
namespace {

constexpr std::int64_t kRows = 16;
constexpr std::int64_t kWidth = 64;
constexpr std::int64_t kRow = 5;  // the one that is written
constexpr auto kOld = std::byte{1};
constexpr auto kNew = std::byte{2};

const TensorType kRoot = {.type = Element::ui8, .dims = {kRows, kWidth}};
const TensorType kRecord = {.type = Element::ui8, .dims = {1, kWidth}};

/// What cache writes are: a scatter into a root that the result takes over.
std::string program_text() {
  ModuleWriter w("probe");
  const Val root = w.param("root", kRoot.type, kRoot.dims);
  const Val record = w.param("record", kRecord.type, kRecord.dims);
  const std::array parts = {w.i32(kRow, {1, 1}), w.i32(0, {1, 1})};
  const Val written = w.scatter_windows(root, w.concatenate(parts, 1), record);
  w.alias(root, 0);
  const std::array results = {written};
  return w.finish(results);
}

}  // namespace

std::string_view name_of(Aliasing aliasing) {
  switch (aliasing) {
    case Aliasing::in_place:
      return "in place";
    case Aliasing::copied:
      return "by copying";
    case Aliasing::unknown:
      return "given away";
    case Aliasing::wrong:
      return "by copying, since the device gets aliasing wrong";
  }
  return "?";
}

Aliasing probe_aliasing(const Client& client, ProgramStore& programs) {
  auto signature = std::make_shared<const Signature>(
      Signature{.name = "alias probe",
                .parameters = {{"root", kRoot}, {"record", kRecord}},
                .results = {{"root", kRoot}}});
  const auto program = programs.program(program_text(), std::move(signature));
  std::vector<std::byte> expected(kRoot.bytes(), kOld);
  Buffer root = client.upload({"root", kRoot}, expected);
  Buffer record = client.upload({"record", kRecord}, std::vector<std::byte>(kRecord.bytes(), kNew));
  root.wait();
  const auto before = root.device_address();
  const std::array arguments = {Argument::give(root), Argument::lend(record)};
  const std::vector<Buffer> results = program->run(arguments);
  const auto after = results.front().device_address();

  std::vector<std::byte> got(kRoot.bytes());
  results.front().download(got);
  std::fill_n(expected.begin() + kRow * kWidth, kWidth, kNew);
  if (got != expected) return Aliasing::wrong;
  if (!before.has_value() || !after.has_value()) return Aliasing::unknown;
  return before == after ? Aliasing::in_place : Aliasing::copied;
}

}  // namespace deepinfer::pjrt
