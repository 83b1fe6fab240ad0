// Speed of products with weights as the checkpoint stores them, at released widths, against the
// speed at which the same threads read memory. Weights rotate through half a gigabyte, so that a
// decode step's cold reads are what is measured. Bytes per second are those of the weights.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/cpu/isa/isa_kernels.h"
#include "backend/cpu/isa_selection.h"
#include "backend/cpu/product_kernels.h"
#include "backend/host/aligned_buffer.h"

namespace {

using namespace deepinfer;

constexpr std::int64_t kOutputs = 2304;  // one expert's w1 of the released model
constexpr std::int64_t kWidth = 5120;
constexpr std::size_t kBytes = std::size_t{1} << 29;

/// Random bytes that are neither NaN nor, as bf16, subnormal; made once.
const std::vector<std::uint8_t>& random_bytes() {
  static const std::vector<std::uint8_t> bytes = [] {
    std::vector<std::uint8_t> made(kBytes);
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < made.size(); i += 8) {
      const std::uint64_t word = (random() & 0xbfbfbfbfbfbfbfbfU) | 0x2020202020202020U;
      std::memcpy(made.data() + i, &word, sizeof(word));
    }
    return made;
  }();
  return bytes;
}

const cpu::IsaKernels& kernels_of(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::amx:
      return cpu::kAmx;
    case cpu::Isa::avx512:
      return cpu::kAvx512;
    case cpu::Isa::avx2:
      return cpu::kAvx2;
    case cpu::Isa::scalar:
      break;
  }
  return cpu::kScalar;
}

void read_memory(benchmark::State& state, int threads) {
  ThreadPool pool(threads);
  const std::vector<std::uint8_t>& bytes = random_bytes();
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads) * 8);
  for (auto _ : state) {
    pool.parallel_for(static_cast<std::int64_t>(kBytes / 64), 1,
                      [&](auto begin, auto end, int member) {
                        std::uint64_t sum[8] = {};
                        for (auto line = begin; line < end; ++line) {
                          std::uint64_t words[8];
                          std::memcpy(words, bytes.data() + line * 64, sizeof(words));
                          for (int i = 0; i < 8; ++i) sum[i] += words[i];
                        }
                        for (const std::uint64_t part : sum)
                          sums[static_cast<std::size_t>(member) * 8] += part;
                      });
    benchmark::DoNotOptimize(sums.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kBytes));
}

void linear(benchmark::State& state, cpu::Isa isa, WeightFormat format, std::int64_t rows,
            int threads) {
  ThreadPool pool(threads);
  const std::int64_t code_bytes = kOutputs * kWidth * (format == WeightFormat::plain ? 4 : 2) /
                                  (format == WeightFormat::fp4 ? 4 : 2);
  const std::vector<std::uint8_t> scales(static_cast<std::size_t>(kOutputs * kWidth / 32), 120);
  const host::AlignedBuffer x(static_cast<std::size_t>(rows * kWidth) * sizeof(float));
  const host::AlignedBuffer y(static_cast<std::size_t>(rows * kOutputs) * sizeof(float));
  const host::AlignedBuffer workspace(2 * x.size());

  const std::vector<TensorRef> inputs = {
      {.data = x.data(), .shape = {rows, kWidth}, .row_bytes = kWidth * 4}, {}};
  const std::vector<TensorRef> results = {
      {.data = y.data(), .shape = {rows, kOutputs}, .row_bytes = kOutputs * 4}};
  WeightRef weight{.format = format,
                   .dtype = DType::bf16,
                   .shape = {kOutputs, kWidth},
                   .data = nullptr,
                   .scales = scales.data()};
  const std::vector<std::span<const WeightRef>> weights = {{}, {&weight, 1}};
  const Linear op{.quantise_input = format != WeightFormat::plain,
                  .input = Rounding::bf16,
                  .rounding = Rounding::bf16};
  cpu::KernelContext context{.pool = pool, .workspace = workspace.data()};

  const std::size_t copies = kBytes / static_cast<std::size_t>(code_bytes);
  std::size_t copy = 0;
  for (auto _ : state) {
    weight.data = reinterpret_cast<const std::byte*>(random_bytes().data()) +
                  copy * static_cast<std::size_t>(code_bytes);
    copy = (copy + 1) % copies;
    cpu::linear(kernels_of(isa).products, op, cpu::Operands(inputs, weights, results), context);
    benchmark::DoNotOptimize(y.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * code_bytes);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(rows * kOutputs * kWidth),
                         benchmark::Counter::kIsIterationInvariantRate);
}

[[maybe_unused]] const bool kRegistered = [] {
  const int all = ThreadPool::default_threads();
  for (const int threads : all > 1 ? std::vector{1, all} : std::vector{1}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(("read_memory" + suffix).c_str(), read_memory, threads)
        ->UseRealTime();
    for (const cpu::Isa isa : cpu::supported_isas())
      for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4, WeightFormat::plain})
        for (const std::int64_t rows : {1, 4, 64}) {
          const std::string name = "linear/" + std::string(cpu::name_of(isa)) + "/" +
                                   std::string(name_of(format)) + "/rows:" + std::to_string(rows) +
                                   suffix;
          benchmark::RegisterBenchmark(name.c_str(), linear, isa, format, rows, threads)
              ->UseRealTime();
        }
  }
  return true;
}();

}  // namespace
