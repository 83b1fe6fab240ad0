#pragma once

// The fake plug-in's objects: the C API's opaque types, filled, and the book of those that live.

#include <pjrt_c_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_pjrt/control.h"
#include "tests/support/fake_pjrt/program_text.h"

struct PJRT_Error {
  std::string text;
  int code;
};

struct PJRT_Event {
  bool failed;
};

struct PJRT_Memory {
  std::string kind = "fake memory";
};

struct PJRT_DeviceDescription {
  int id;
  std::string kind = "fake kind";
};

struct PJRT_Device {
  PJRT_DeviceDescription description;
  PJRT_Memory memory;
  PJRT_Memory* memories = &memory;
};

struct PJRT_Client {
  PJRT_Device first{.description = {.id = 0}, .memory = {}};
  PJRT_Device second{.description = {.id = 1}, .memory = {}};
  PJRT_Device* devices[2] = {&first, &second};
};

struct PJRT_Buffer {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
  std::vector<std::int64_t> dims;
  std::shared_ptr<std::vector<std::byte>> bytes;  // null: given away
};

struct PJRT_LoadedExecutable {
  std::string code;
  deepinfer::pjrt::fake::ProgramTypes types;
};

struct PJRT_Executable {
  PJRT_LoadedExecutable* loaded;
  // The results as the API lists them.
  std::vector<PJRT_Buffer_Type> result_types = {};
  std::vector<std::int64_t> result_dims = {};
  std::vector<std::size_t> result_ranks = {};
};

struct PJRT_SerializedExecutable {
  std::string bytes;
};

namespace deepinfer::pjrt::fake {

Control& control();

void add_live(const void* object);
/// Whether `object` lived; if not, that is a misuse.
bool remove_live(const void* object);
bool is_live(const void* object);

template <typename Object>
Object* make_live(Object object) {
  auto* made = new Object(std::move(object));
  add_live(made);
  return made;
}

template <typename Object>
void end_live(Object* object) {
  if (remove_live(object)) delete object;
}

/// An error for the caller to destroy.
PJRT_Error* error(int code, std::string text);

/// Counts a call. An error if it is the one to fail, or its arguments are of another size than the
/// header says: at least one real plug-in refuses those.
PJRT_Error* enter(const char* entry, std::size_t got_bytes, std::size_t expected_bytes);

std::size_t element_bytes(PJRT_Buffer_Type type);

}  // namespace deepinfer::pjrt::fake

#define FAKE_ENTER(entry)                                                                    \
  if (PJRT_Error* fault =                                                                    \
          deepinfer::pjrt::fake::enter(#entry, args->struct_size, entry##_Args_STRUCT_SIZE); \
      fault != nullptr)                                                                      \
  return fault
