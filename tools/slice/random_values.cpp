#include "tools/slice/random_values.h"

#include <cmath>
#include <string_view>

namespace deepinfer {
namespace {

/// The same bits in every element of a word.
constexpr std::uint64_t in_bytes(std::uint64_t bits) { return bits * 0x0101010101010101ULL; }
constexpr std::uint64_t in_halves(std::uint64_t bits) { return bits * 0x0001000100010001ULL; }
constexpr std::uint64_t in_words(std::uint64_t bits) { return bits * 0x0000000100000001ULL; }

bool ends_with(std::string_view text, std::string_view end) { return text.ends_with(end); }

/// Weights that multiply what a norm made, and the scales of hyper-connections: near 1.
bool near_one(std::string_view name) {
  return ends_with(name, "norm.weight") || ends_with(name, "engram.q_weight") ||
         ends_with(name, "engram.k_weight") || ends_with(name, "_scale");
}

/// Even E8M0 code with which a row of the scale's weight has about unit gain.
std::uint64_t scale_code(const ExpectedTensor& scale) {
  constexpr double kE4m3Rms = 0.62;  // of codes with an exponent below 8
  constexpr double kE2m1Rms = 2.93;  // of all sixteen codes
  constexpr int kBias = 127;
  const std::string_view name = scale.name;
  const double rms = name.find(".experts.") != std::string_view::npos ? kE2m1Rms : kE4m3Rms;
  const auto width = static_cast<double>(32 * scale.shape.back());
  const double wanted = ends_with(name, "embed.scale") ? 1 : 1 / std::sqrt(width);
  return static_cast<std::uint64_t>(kBias + std::lround(std::log2(wanted / rms))) &
         ~std::uint64_t{1};
}

/// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char character : text)
    value = (value ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  return value;
}

}  // namespace

RandomValues::RandomValues(const ExpectedTensor& tensor, std::uint64_t seed)
    : state_(hash(tensor.name) ^ (seed * 0x9e3779b97f4a7c15ULL)) {
  if (state_ == 0) state_ = 1;  // where xorshift would stay
  switch (tensor.dtype()) {
    case DType::f8_e8m0:  // two neighbouring scales
      fixed_ = in_bytes(scale_code(tensor));
      random_ = in_bytes(1);
      break;
    case DType::f8_e4m3:  // exponent below 8: no NaN, magnitudes below 2
      random_ = in_bytes(0xbf);
      break;
    case DType::bf16:  // 1 to 1.25, or a sign and 2^-7 to 2^-5
      fixed_ = in_halves(near_one(tensor.name) ? 0x3f80 : 0x3c00);
      random_ = in_halves(near_one(tensor.name) ? 0x001f : 0x80ff);
      break;
    case DType::f32:
      fixed_ = in_words(near_one(tensor.name) ? 0x3f800000 : 0x3c000000);
      random_ = in_words(near_one(tensor.name) ? 0x001fffff : 0x80ffffff);
      break;
    default:  // pairs of FP4 codes, all of which are numbers
      random_ = ~std::uint64_t{0};
  }
}

void RandomValues::fill(std::span<std::uint64_t> words) {
  std::uint64_t state = state_;
  for (std::uint64_t& word : words) {
    // xorshift64*: fast enough to fill gigabytes.
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    word = fixed_ | ((state * 2685821657736338717ULL) & random_);
  }
  state_ = state;
}

}  // namespace deepinfer
