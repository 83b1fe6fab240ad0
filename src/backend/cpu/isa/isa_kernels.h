#pragma once

// Everything that exists once per instruction set. Immutable tables; a backend takes one when it is
// made and binds it into its kernels.

#include "backend/cpu/isa/product_functions.h"
#include "backend/cpu/isa/row_functions.h"

namespace deepinfer::cpu {

struct IsaKernels {
  const char* name;  ///< as --isa spells it
  RowFunctions rows;
  ProductFunctions products;
};

extern const IsaKernels kScalar;  ///< the baseline: runs on any machine
extern const IsaKernels kAvx2;    ///< AVX2, FMA, F16C
extern const IsaKernels kAvx512;  ///< AVX-512 F, BW, VL, DQ
extern const IsaKernels kAmx;     ///< AVX-512 with VBMI and BF16, AMX with BF16

}  // namespace deepinfer::cpu
