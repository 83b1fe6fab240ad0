#pragma once

// What the fuzz targets share. Stateless but for the tokenizer, which is opened once.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "deepinfer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace deepinfer::fuzz {

/// Ends the program, which the fuzzer reports together with the input, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "[fuzz] does not hold: %s\n", what);
  std::abort();
}

inline std::string_view as_text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A small tokenizer with all control tokens. Programs run in the root of the repository.
inline const std::shared_ptr<const Tokenizer>& tiny_tokenizer() {
  static const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::open("tests/data/t41-odd");
  return tokenizer;
}

}  // namespace deepinfer::fuzz
