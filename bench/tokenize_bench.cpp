// Speed of encode() and of loading, with the bundled tokenizer or the directory that the
// environment variable DEEPINFER_BENCH_TOKENIZER names. Bytes per second are those of the UTF-8
// text.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "deepinfer/tokenizer.h"

namespace {

std::string directory() {
  const char* chosen = std::getenv("DEEPINFER_BENCH_TOKENIZER");
  return chosen != nullptr ? chosen : "models/DeepInfer-V4.1-tiny";
}

// About 1 MB of prose, code, numbers, Chinese, Cyrillic and emoji, varied by a counter.
std::string mixed_text() {
  std::string text;
  for (int i = 0; text.size() < (1U << 20); ++i) {
    const std::string n = std::to_string(i * 7919);
    text += "Alice was beginning to get very tired of sitting by her sister on the bank (";
    text += n + "), and of having nothing to do: once or twice she had peeped into the book.\n\n";
    text +=
        "def function_" + n + "(x, y=" + n + "):\n    return {'key': x[" + n + "] + y * 3.14}\n";
    text += "今天天气很好，我们去公园散步" + n + "次。カタカナとひらがな。\n";
    text +=
        "Съешь же ещё этих мягких французских булок 🙂 — ";
    text += n + "\r\n\t\tnext;\n";
  }
  return text;
}

void encode(benchmark::State& state, const std::string& text) {
  const auto tokenizer = deepinfer::Tokenizer::open(directory());
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer->encode(text, true));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void encode_mixed_text(benchmark::State& state) { encode(state, mixed_text()); }
BENCHMARK(encode_mixed_text)->Unit(benchmark::kMillisecond);

// One piece of a million bytes: the merge queue.
void encode_one_long_run(benchmark::State& state) { encode(state, std::string(1U << 20, 'a')); }
BENCHMARK(encode_one_long_run)->Unit(benchmark::kMillisecond);

void open_tokenizer(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(deepinfer::Tokenizer::open(directory()));
}
BENCHMARK(open_tokenizer)->Unit(benchmark::kMillisecond);

}  // namespace
