// Programs. The fake reads the types of a program and runs nothing: a result is the memory of the
// argument that it takes over (where the text says so and it was given), or a copy of that, or of
// the first argument, as far as the two are of a size.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>

#include "tests/support/fake_pjrt/entries.h"
#include "tests/support/fake_pjrt/objects.h"

namespace deepinfer::pjrt::fake {
namespace {

constexpr std::string_view kBegin = "fake program: ";
constexpr std::string_view kEnd = " end";

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

PJRT_LoadedExecutable* load(std::string_view code) {
  return make_live(PJRT_LoadedExecutable{.code = std::string(code), .types = types_in(code)});
}

std::int64_t aliased_bytes(const ProgramTypes& types) {
  std::int64_t sum = 0;
  for (const Tensor& parameter : types.parameters)
    if (parameter.alias >= 0) sum += static_cast<std::int64_t>(parameter.bytes());
  return sum;
}

/// The argument that result `index` takes over, or 0.
std::size_t source_of(const ProgramTypes& types, std::size_t index) {
  for (std::size_t i = 0; i < types.parameters.size(); ++i)
    if (types.parameters[i].alias == static_cast<int>(index)) return i;
  return 0;
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
  args->executable = load(code);
  return nullptr;
}

PJRT_Error* Executable_Destroy(PJRT_Executable_Destroy_Args* args) {
  end_live(args->executable);
  FAKE_ENTER(PJRT_Executable_Destroy);
  return nullptr;
}

PJRT_Error* Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args) {
  FAKE_ENTER(PJRT_Executable_NumOutputs);
  args->num_outputs = args->executable->loaded->types.results.size();
  return nullptr;
}

PJRT_Error* Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args* args) {
  FAKE_ENTER(PJRT_Executable_OutputElementTypes);
  args->output_types = args->executable->result_types.data();
  args->num_output_types = args->executable->result_types.size();
  return nullptr;
}

PJRT_Error* Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args) {
  FAKE_ENTER(PJRT_Executable_OutputDimensions);
  args->num_outputs = args->executable->result_ranks.size();
  args->dims = args->executable->result_dims.data();
  args->dim_sizes = args->executable->result_ranks.data();
  return nullptr;
}

PJRT_Error* Executable_Serialize(PJRT_Executable_Serialize_Args* args) {
  FAKE_ENTER(PJRT_Executable_Serialize);
  if (control().no_serialisation)
    return error(PJRT_Error_Code_UNIMPLEMENTED, "programs stay in the device");
  args->serialized_executable = make_live(PJRT_SerializedExecutable{
      .bytes = std::string(kBegin) + args->executable->loaded->code + std::string(kEnd)});
  args->serialized_bytes = args->serialized_executable->bytes.data();
  args->serialized_bytes_size = args->serialized_executable->bytes.size();
  args->serialized_executable_deleter = free_serialised;
  return nullptr;
}

PJRT_Error* Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args* args) {
  FAKE_ENTER(PJRT_Executable_DeserializeAndLoad);
  const std::string_view bytes(args->serialized_executable, args->serialized_executable_size);
  if (!bytes.starts_with(kBegin) || !bytes.ends_with(kEnd))
    return error(PJRT_Error_Code_INVALID_ARGUMENT, "these bytes are no program");
  args->loaded_executable =
      load(bytes.substr(kBegin.size(), bytes.size() - kBegin.size() - kEnd.size()));
  return nullptr;
}

PJRT_Error* Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  FAKE_ENTER(PJRT_Executable_GetCompiledMemoryStats);
  const std::int64_t aliased = aliased_bytes(args->executable->loaded->types);
  args->alias_size_in_bytes = aliased;
  args->temp_size_in_bytes = control().temporary_bytes + (control().copies_roots ? aliased : 0);
  return nullptr;
}

PJRT_Error* LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  end_live(args->executable);
  FAKE_ENTER(PJRT_LoadedExecutable_Destroy);
  return nullptr;
}

PJRT_Error* LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  FAKE_ENTER(PJRT_LoadedExecutable_GetExecutable);
  PJRT_Executable executable{.loaded = args->loaded_executable};
  for (const Tensor& result : args->loaded_executable->types.results) {
    executable.result_types.push_back(result.type);
    executable.result_dims.insert(executable.result_dims.end(), result.dims.begin(),
                                  result.dims.end());
    executable.result_ranks.push_back(result.dims.size());
  }
  args->executable = make_live(std::move(executable));
  return nullptr;
}

PJRT_Error* LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  FAKE_ENTER(PJRT_LoadedExecutable_Execute);
  if (!is_live(args->executable)) return error(PJRT_Error_Code_INVALID_ARGUMENT, "no program");
  for (std::size_t i = 0; i < args->num_args; ++i)
    if (!is_live(args->argument_lists[0][i]) || args->argument_lists[0][i]->bytes == nullptr)
      return error(PJRT_Error_Code_INVALID_ARGUMENT, "an argument was given away");
  const ProgramTypes& types = args->executable->types;
  const std::int64_t* kept = args->options->non_donatable_input_indices;
  const std::int64_t* kept_end = kept + args->options->num_non_donatable_input_indices;
  std::vector<PJRT_Buffer> given;  // as they were: one may be copied after it is taken over
  for (std::size_t i = 0; i < args->num_args; ++i) given.push_back(*args->argument_lists[0][i]);
  for (std::size_t i = 0; i < types.results.size(); ++i) {
    const std::size_t from = source_of(types, i);
    const std::vector<std::byte>& source = *given[from].bytes;
    const bool taken = types.parameters[from].alias == static_cast<int>(i) &&
                       std::find(kept, kept_end, static_cast<std::int64_t>(from)) == kept_end;
    PJRT_Buffer result{.type = types.results[i].type, .dims = types.results[i].dims, .bytes = {}};
    if (taken) {
      result.bytes = std::move(args->argument_lists[0][from]->bytes);
    } else {
      result.bytes = std::make_shared<std::vector<std::byte>>(types.results[i].bytes());
      std::copy_n(source.begin(), std::min(source.size(), result.bytes->size()),
                  result.bytes->begin());
    }
    args->output_lists[0][i] = make_live(std::move(result));
  }
  if (args->device_complete_events != nullptr)
    args->device_complete_events[0] = make_live(PJRT_Event{.failed = control().fail_later});
  return nullptr;
}

}  // namespace deepinfer::pjrt::fake
