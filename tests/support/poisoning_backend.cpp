#include "tests/support/poisoning_backend.h"

#include <algorithm>
#include <span>
#include <utility>

#include "backend/host/planned_executable.h"
#include "backend/host/regions_executable.h"
#include "backend/wrapped_backend_test.h"

namespace deepinfer {
namespace {

constexpr std::byte kNanByte{0xff};  // as fp32, bf16, E4M3 and E8M0 a NaN; as i32 -1

/// Eager executables have no arena: every result is fresh memory.
std::span<std::byte> arena_of(const Executable& executable) {
  if (const auto* planned = dynamic_cast<const host::PlannedExecutable*>(&executable))
    return planned->arena();
  if (const auto* regions = dynamic_cast<const host::RegionsExecutable*>(&executable))
    return regions->arena();
  return {};
}

class PoisoningExecutable : public Executable {
 public:
  explicit PoisoningExecutable(std::unique_ptr<Executable> inner) : inner_(std::move(inner)) {}

  void load_inputs() override { inner_->load_inputs(); }
  void run() override {
    const std::span<std::byte> arena = arena_of(*inner_);
    std::fill(arena.begin(), arena.end(), kNanByte);
    inner_->run();
  }
  TensorRef output(std::string_view name) const override { return inner_->output(name); }
  ExecutableInfo info() const override { return inner_->info(); }
  const Graph& graph() const override { return inner_->graph(); }
  void observe(StepObserver* observer) override { inner_->observe(observer); }

 private:
  std::unique_ptr<Executable> inner_;
};

class PoisoningBackend : public WrappedBackend {
 public:
  using WrappedBackend::WrappedBackend;

  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override {
    return std::make_unique<PoisoningExecutable>(
        WrappedBackend::compile(std::move(graph), bindings, mode));
  }
};

}  // namespace

std::unique_ptr<Backend> make_poisoning_backend(const Options& options) {
  return std::make_unique<PoisoningBackend>(options);
}

}  // namespace deepinfer
