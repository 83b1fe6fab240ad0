#pragma once

// The table of row functions for the instruction set the including file is compiled for.

#include "backend/cpu/isa/attention_body.h"
#include "backend/cpu/isa/index_body.h"
#include "backend/cpu/isa/row_functions.h"

namespace deepinfer::cpu {
namespace {

inline constexpr RowFunctions kRowFunctions = {.dots = &dots_body,
                                               .unpack_window = &unpack_window_body,
                                               .unpack_compressed = &unpack_compressed_body,
                                               .attend_block = &attend_block_body,
                                               .score_keys = &score_keys_body};

}  // namespace
}  // namespace deepinfer::cpu
