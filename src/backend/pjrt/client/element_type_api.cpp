#include "backend/pjrt/client/element_type_api.h"

#include <array>

namespace deepinfer::pjrt {
namespace {

struct Row {
  Element type;
  PJRT_Buffer_Type api;
  int since;  ///< minor version of the PJRT API that brought the type (its changelog); 0: always
};

constexpr std::array kRows = {
    Row{Element::i1, PJRT_Buffer_Type_PRED, 0},
    Row{Element::ui8, PJRT_Buffer_Type_U8, 0},
    Row{Element::i32, PJRT_Buffer_Type_S32, 0},
    Row{Element::ui32, PJRT_Buffer_Type_U32, 0},
    Row{Element::i64, PJRT_Buffer_Type_S64, 0},
    Row{Element::f32, PJRT_Buffer_Type_F32, 0},
    Row{Element::bf16, PJRT_Buffer_Type_BF16, 0},
    Row{Element::f16, PJRT_Buffer_Type_F16, 0},
    Row{Element::f8e4m3fn, PJRT_Buffer_Type_F8E4M3FN, 0},
    Row{Element::f4e2m1fn, PJRT_Buffer_Type_F4E2M1FN, 63},
};

}  // namespace

PJRT_Buffer_Type api_type(const Api& api, Element type, std::string_view where) {
  const int minor = api.table->pjrt_api_version.minor_version;
  for (const Row& row : kRows) {
    if (row.type != type) continue;
    if (minor >= row.since) return row.api;
    throw Error::failed(
        where, "element type " + std::string(name_of(type)) + " is not known to " + api.name,
        {.expected = "PJRT API 0." + std::to_string(row.since) + " or newer",
         .got = "0." + std::to_string(minor),
         .hint = {}});
  }
  throw Error::failed(where, "element type without a number in the PJRT API",
                      {.expected = {}, .got = std::string(name_of(type)), .hint = {}});
}

std::optional<Element> element_of(PJRT_Buffer_Type type) {
  for (const Row& row : kRows)
    if (row.api == type) return row.type;
  return std::nullopt;
}

}  // namespace deepinfer::pjrt
