#pragma once

// Options of a plug-in's compiler, as the bytes that it takes: XLA's CompileOptionsProto, written
// by hand since it is the one protocol buffer needed. Needs no PJRT header.

#include <span>
#include <string>

#include "backend/pjrt/client/named_value.h"

namespace deepinfer::pjrt {

/// One replica, one partition, and `overrides` by the compiler's own names
/// ("xla_backend_optimization_level"), in their order. A name that the compiler does not know is an
/// error of the compile, not here.
std::string compile_option_bytes(std::span<const NamedOption> overrides);

/// Reads "name=value,name=value". Throws Error (bad_input) about `where` if a part is not of that
/// form.
std::vector<NamedOption> parse_compile_options(std::string_view text, std::string_view where);

}  // namespace deepinfer::pjrt
