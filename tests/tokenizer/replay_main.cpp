// replay_tokenizer MODEL_DIRECTORY CASES.json: replays a file of tools/make_tokenizer_cases.py,
// prints the first mismatches and exits with 1 if there are any.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "replay_cases.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: replay_tokenizer MODEL_DIRECTORY CASES.json\n", stderr);
    return 2;
  }
  try {
    const auto result = deepinfer::replay_cases(deepinfer::Tokenizer::open(argv[1]), argv[2]);
    std::printf("%zu texts, %zu decodes, %zu mismatches\n", result.texts, result.decodes,
                result.mismatches.size());
    constexpr std::size_t kShown = 10;
    for (std::size_t i = 0; i < std::min(kShown, result.mismatches.size()); ++i) {
      std::printf("%s\n", result.mismatches[i].c_str());
    }
    return result.mismatches.empty() && result.texts > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
