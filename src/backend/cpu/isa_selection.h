#pragma once

// Which instruction set the kernels use. Pure but for asking the processor, and the operating
// system for the leave to use its matrix unit.

#include <cstdint>
#include <string_view>
#include <vector>

namespace deepinfer::cpu {

enum class Isa : std::uint8_t { scalar, avx2, avx512, amx };

std::string_view name_of(Isa isa);

/// What this processor and its operating system can run, the slowest first. Never empty.
std::vector<Isa> supported_isas();

/// The instruction set that `--isa` asks for: `auto` is the last of `supported`. Throws Error
/// (bad_input) if the name is unknown or not in `supported`.
Isa choose_isa(std::string_view name, const std::vector<Isa>& supported);

}  // namespace deepinfer::cpu
