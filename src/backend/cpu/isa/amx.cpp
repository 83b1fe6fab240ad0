// See the flags of this file in src/backend/CMakeLists.txt.

#include "backend/cpu/isa/isa_kernels.h"
#include "backend/cpu/isa/product_body.h"
#include "backend/cpu/isa/row_functions_body.h"
#include "backend/cpu/isa/tile_body.h"

namespace deepinfer::cpu {

namespace {

constexpr ProductFunctions with_tiles() {
  ProductFunctions products = kProductFunctions;
  products.tiles = &kTileFunctions;
  return products;
}

}  // namespace

constinit const IsaKernels kAmx = {.name = "amx", .rows = kRowFunctions, .products = with_tiles()};

}  // namespace deepinfer::cpu
