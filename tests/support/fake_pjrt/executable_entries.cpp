// Programs. The fake reads no MLIR: every program has one f32[2,2] result, a copy of its first
// argument, or that argument's own memory where the text says tf.aliasing_output and it was given.

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>

#include "tests/support/fake_pjrt/entries.h"
#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

constexpr std::string_view kCopies = "fake program that copies";
constexpr std::string_view kAliases = "fake program in place";

void free_serialised(PJRT_SerializedExecutable* serialised) { end_live(serialised); }

/// Whether a compile of `code` is to fail. Waits for others first where the control asks for them.
bool refuses(std::string_view code) {
  constexpr auto kLongest = std::chrono::seconds(20);  // a caller that sends fewer fails its test
  static std::mutex mutex;
  static std::condition_variable more;
  std::unique_lock lock(mutex);
  Control& state = control();
  ++state.compiles;
  more.notify_all();
  more.wait_for(lock, kLongest, [&] { return state.compiles >= state.compile_together; });
  if (state.refusals == 0 || code.find(state.refused_text) == std::string_view::npos) return false;
  --state.refusals;
  return true;
}

}  // namespace

PJRT_Error* Client_Compile(PJRT_Client_Compile_Args* args) {
  FAKE_ENTER(PJRT_Client_Compile);
  const std::string_view code(args->program->code, args->program->code_size);
  if (std::string_view(args->program->format, args->program->format_size) != "mlir" ||
      code.find("@main") == std::string_view::npos)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "1:1: expected a module with @main");
  if (refuses(code))
    return error(control().fail_code, "reading the program\nplanning\ncompiler exited with 70");
  args->executable = make_live(
      PJRT_LoadedExecutable{.aliases = code.find("tf.aliasing_output") != std::string_view::npos});
  return nullptr;
}

PJRT_Error* Executable_Destroy(PJRT_Executable_Destroy_Args* args) {
  end_live(args->executable);
  FAKE_ENTER(PJRT_Executable_Destroy);
  return nullptr;
}

PJRT_Error* Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args) {
  FAKE_ENTER(PJRT_Executable_NumOutputs);
  args->num_outputs = 1;
  return nullptr;
}

PJRT_Error* Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args* args) {
  FAKE_ENTER(PJRT_Executable_OutputElementTypes);
  static PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
  args->output_types = &type;
  args->num_output_types = 1;
  return nullptr;
}

PJRT_Error* Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args) {
  FAKE_ENTER(PJRT_Executable_OutputDimensions);
  static const std::array<std::int64_t, 2> dims = {2, 2};
  static const std::size_t rank = dims.size();
  args->num_outputs = 1;
  args->dims = dims.data();
  args->dim_sizes = &rank;
  return nullptr;
}

PJRT_Error* Executable_Serialize(PJRT_Executable_Serialize_Args* args) {
  FAKE_ENTER(PJRT_Executable_Serialize);
  if (control().no_serialisation)
    return error(PJRT_Error_Code_UNIMPLEMENTED, "programs stay in the device");
  args->serialized_executable = make_live(PJRT_SerializedExecutable{
      .bytes = std::string(args->executable->loaded->aliases ? kAliases : kCopies)});
  args->serialized_bytes = args->serialized_executable->bytes.data();
  args->serialized_bytes_size = args->serialized_executable->bytes.size();
  args->serialized_executable_deleter = free_serialised;
  return nullptr;
}

PJRT_Error* Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args* args) {
  FAKE_ENTER(PJRT_Executable_DeserializeAndLoad);
  const std::string_view bytes(args->serialized_executable, args->serialized_executable_size);
  if (bytes != kCopies && bytes != kAliases)
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "these bytes are no program");
  args->loaded_executable = make_live(PJRT_LoadedExecutable{.aliases = bytes == kAliases});
  return nullptr;
}

PJRT_Error* Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  FAKE_ENTER(PJRT_Executable_GetCompiledMemoryStats);
  args->argument_size_in_bytes = 16;
  args->output_size_in_bytes = 16;
  args->alias_size_in_bytes = args->executable->loaded->aliases ? 16 : 0;
  return nullptr;
}

PJRT_Error* LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  end_live(args->executable);
  FAKE_ENTER(PJRT_LoadedExecutable_Destroy);
  return nullptr;
}

PJRT_Error* LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  FAKE_ENTER(PJRT_LoadedExecutable_GetExecutable);
  args->executable = make_live(PJRT_Executable{.loaded = args->loaded_executable});
  return nullptr;
}

PJRT_Error* LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  FAKE_ENTER(PJRT_LoadedExecutable_Execute);
  if (!is_live(args->executable)) return error(PJRT_Error_Code_INVALID_ARGUMENT, "no program");
  for (std::size_t i = 0; i < args->num_args; ++i)
    if (!is_live(args->argument_lists[0][i]) || args->argument_lists[0][i]->bytes == nullptr)
      return error(PJRT_Error_Code_INVALID_ARGUMENT, "an argument was given away");
  const std::int64_t* kept = args->options->non_donatable_input_indices;
  const std::int64_t* kept_end = kept + args->options->num_non_donatable_input_indices;
  PJRT_Buffer& first = *args->argument_lists[0][0];
  PJRT_Buffer result = first;
  if (args->executable->aliases && std::find(kept, kept_end, 0) == kept_end)
    first.bytes = nullptr;
  else
    result.bytes = std::make_shared<std::vector<std::byte>>(*first.bytes);
  args->output_lists[0][0] = make_live(std::move(result));
  if (args->device_complete_events != nullptr)
    args->device_complete_events[0] = make_live(PJRT_Event{.failed = control().fail_later});
  return nullptr;
}

}  // namespace deepinfer::pjrt::fake
