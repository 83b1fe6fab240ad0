// See the flags of this file in src/backend/CMakeLists.txt.

#include "backend/cpu/isa/isa_kernels.h"
#include "backend/cpu/isa/product_body.h"
#include "backend/cpu/isa/row_functions_body.h"

namespace deepinfer::cpu {

constinit const IsaKernels kScalar = {
    .name = "scalar", .rows = kRowFunctions, .products = kProductFunctions};

}  // namespace deepinfer::cpu
