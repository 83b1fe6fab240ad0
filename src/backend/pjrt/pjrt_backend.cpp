#include "backend/pjrt/pjrt_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "backend/pjrt/alias_probe.h"
#include "backend/pjrt/client/client.h"
#include "backend/pjrt/client/compile_options.h"
#include "backend/pjrt/device.h"
#include "backend/pjrt/pjrt_executable.h"
#include "core/thread_pool.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

OpenDevice open_plugin(const Options& options) {
  if (options.pjrt_plugin.empty())
    throw Error::bad_input(
        "--pjrt-plugin", "is needed by --backend pjrt",
        {.expected = "the shared object of a PJRT plug-in",
         .got = "none",
         .hint = "make pjrt fetches one for the CPU, build/pjrt/xla_cpu_pjrt.so"});
  return open_device(options.pjrt_plugin, options.pjrt_options);
}

std::string options_of(const Options& options) {
  if (options.compile_backend.empty()) return compile_option_bytes({});
  return compile_option_bytes(parse_compile_options(options.compile_backend, "--compile-backend"));
}

int compile_threads(const Options& options) {
  return options.threads > 0 ? options.threads : ThreadPool::default_threads();
}

/// What the family's compiler takes, of types those that the device has.
TypeSupport types_of(const OpenDevice& device) {
  TypeSupport types = device.facts->types;
  types.f8e4m3fn = types.f8e4m3fn && device.client->supports(Element::f8e4m3fn);
  types.f4e2m1fn = types.f4e2m1fn && device.client->supports(Element::f4e2m1fn);
  return types;
}

class PjrtBackend : public Backend {
 public:
  explicit PjrtBackend(const Options& options)
      : PjrtBackend(options, options_of(options), open_plugin(options)) {}

  std::string_view name() const override { return "pjrt"; }
  std::string describe() const override { return description_; }
  std::unique_ptr<deepinfer::Executable> compile(std::shared_ptr<const Graph> graph,
                                                 const Bindings& bindings,
                                                 GraphMode mode) override {
    auto executable =
        std::make_unique<PjrtExecutable>(client_, programs_, memory_, std::move(graph), bindings,
                                         PjrtExecutable::Settings{.mode = mode,
                                                                  .split_regions = split_regions_,
                                                                  .refuse_copies = refuse_copies_,
                                                                  .lowering = lowering_});
    notes_.insert(notes_.end(), executable->notes().begin(), executable->notes().end());
    most_work_ = std::max(most_work_, executable->info().arena_bytes);
    return executable;
  }
  void report_compiles(const CompileProgress& progress) override { programs_.report(progress); }
  std::optional<DeviceMemoryUse> device_memory() const override {
    DeviceMemoryUse use;
    use.parts = {{"weights", memory_.weight_bytes()},
                 {"KV and state buffers", memory_.root_bytes()},
                 {"largest program's work", static_cast<std::int64_t>(most_work_)}};
    if (const std::optional<DeviceMemory> counted = client_->memory()) {
      use.in_use = counted->in_use;
      use.limit = counted->limit;
    }
    return use;
  }
  std::optional<CompileCounts> compile_counts() const override { return programs_.counts(); }
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = programs_.notes();
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    return notes;
  }
  /// The plug-in's compiler places what its programs work in.
  std::size_t workspace_bytes(const Graph& /*graph*/, const Node& /*node*/) const override {
    return 0;
  }

 private:
  PjrtBackend(const Options& options, const std::string& option_bytes, const OpenDevice& device)
      : client_(device.client),
        programs_(client_, option_bytes, compile_threads(options), options.compile_cache),
        memory_(client_),
        split_regions_(!options.fullgraph) {
    const Aliasing aliasing = probe_aliasing(*client_, programs_);
    refuse_copies_ = aliasing == Aliasing::in_place;
    lowering_.alias_roots = aliasing != Aliasing::wrong;
    lowering_.types = types_of(device);
    const ApiVersion version = client_->plugin().version();
    description_ = fmt::format("pjrt, {} {} (plug-in {}, PJRT {}.{}), roots updated {}",
                               client_->platform(), client_->devices().front().kind,
                               std::filesystem::path(options.pjrt_plugin).filename().string(),
                               version.major, version.minor, name_of(aliasing));
    if (!options.compile_backend.empty())
      description_ += ", compile options " + options.compile_backend;
  }

  std::shared_ptr<const Client> client_;
  ProgramStore programs_;
  DeviceStore memory_;
  LowerOptions lowering_;
  bool split_regions_;
  bool refuse_copies_ = false;  // where programs do copy, the description says so
  std::size_t most_work_ = 0;   // bytes
  std::string description_;
  std::vector<std::string> notes_;  // of executables
};

}  // namespace

std::unique_ptr<Backend> make_pjrt_backend(const Options& options) {
  return std::make_unique<PjrtBackend>(options);
}

}  // namespace deepinfer::pjrt
