#include "backend/pjrt/client/executable.h"

#include <optional>
#include <utility>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/client.h"
#include "backend/pjrt/client/element_type_api.h"

namespace deepinfer::pjrt {

Executable::Executable(std::shared_ptr<const Client> client, PJRT_LoadedExecutable* executable,
                       std::shared_ptr<const Signature> signature)
    : client_(std::move(client)),
      executable_(executable, Destroy{&client_->plugin().api()}),
      signature_(std::move(signature)) {
  check_results();
}

Executable& Executable::operator=(Executable&& other) noexcept {
  executable_ = std::move(other.executable_);
  signature_ = std::move(other.signature_);
  client_ = std::move(other.client_);  // last: what was held before lived of it
  return *this;
}

Owned<PJRT_Executable> Executable::unloaded() const {
  const Api& api = client_->plugin().api();
  auto args = make_args<PJRT_LoadedExecutable_GetExecutable_Args>();
  args.loaded_executable = executable_.get();
  call(api, args, signature_->name);
  return {args.executable, Destroy{&api}};
}

void Executable::check_results() const {
  const Api& api = client_->plugin().api();
  const std::string& where = signature_->name;
  const std::vector<NamedType>& results = signature_->results;
  const Owned<PJRT_Executable> executable = unloaded();

  auto count = make_args<PJRT_Executable_NumOutputs_Args>();
  count.executable = executable.get();
  call(api, count, where);
  if (count.num_outputs != results.size())
    throw Error::failed(where, "a program with another number of results",
                        {.expected = std::to_string(results.size()),
                         .got = std::to_string(count.num_outputs),
                         .hint = {}});
  // Plug-ins that do not tell the types are believed.
  if (!has<PJRT_Executable_OutputElementTypes_Args>(api) ||
      !has<PJRT_Executable_OutputDimensions_Args>(api))
    return;
  auto types = make_args<PJRT_Executable_OutputElementTypes_Args>();
  types.executable = executable.get();
  call(api, types, where);
  auto dims = make_args<PJRT_Executable_OutputDimensions_Args>();
  dims.executable = executable.get();
  call(api, dims, where);
  const std::int64_t* next = dims.dims;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::optional<Element> type = element_of(types.output_types[i]);
    const TensorType got{.type = type.value_or(Element::f32),
                         .dims = {next, next + dims.dim_sizes[i]}};
    next += dims.dim_sizes[i];
    if (!type.has_value() || got != results[i].type)
      throw Error::failed(where, "result " + results[i].name + " is of another type",
                          {.expected = results[i].type.text(),
                           .got = type.has_value() ? got.text() : "a type unknown here",
                           .hint = {}});
  }
}

void Executable::check_arguments(std::span<const Argument> arguments) const {
  const std::vector<NamedType>& parameters = signature_->parameters;
  if (arguments.size() != parameters.size())
    throw Error::failed(signature_->name, "another number of arguments than parameters",
                        {.expected = std::to_string(parameters.size()),
                         .got = std::to_string(arguments.size()),
                         .hint = {}});
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Buffer& buffer = *arguments[i].buffer;
    buffer.handle();  // throws if there is nothing in it
    if (buffer.type() != parameters[i].type)
      throw Error::failed(
          signature_->name,
          "argument " + buffer.name() + " for parameter " + parameters[i].name +
              " is of another type",
          {.expected = parameters[i].type.text(), .got = buffer.type().text(), .hint = {}});
    if (!arguments[i].given) continue;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (k != i && arguments[k].buffer == arguments[i].buffer)
        throw Error::failed(signature_->name,
                            "argument " + buffer.name() + " is given away and passed twice");
  }
}

StartedRun Executable::start(std::span<const Argument> arguments) const {
  check_arguments(arguments);
  const Api& api = client_->plugin().api();
  std::vector<PJRT_Buffer*> inputs;
  std::vector<std::int64_t> lent;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inputs.push_back(arguments[i].buffer->handle());
    if (!arguments[i].given) lent.push_back(static_cast<std::int64_t>(i));
  }
  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  options.non_donatable_input_indices = lent.data();
  options.num_non_donatable_input_indices = lent.size();

  std::vector<PJRT_Buffer*> outputs(signature_->results.size(), nullptr);
  PJRT_Buffer* const* input_list = inputs.data();
  PJRT_Buffer** output_list = outputs.data();
  PJRT_Event* done = nullptr;
  auto args = make_args<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable_.get();
  args.options = &options;
  args.argument_lists = &input_list;
  args.num_devices = 1;
  args.num_args = inputs.size();
  args.output_lists = &output_list;
  args.device_complete_events = &done;
  call(api, args, signature_->name);

  StartedRun run;
  run.done = Event(client_, done, signature_->name, EntryOf<decltype(args)>::kName);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    run.results.emplace_back(client_, outputs[i], signature_->results[i]);
  for (const Argument& argument : arguments)
    if (argument.given) argument.buffer->consume();
  return run;
}

std::vector<Buffer> Executable::run(std::span<const Argument> arguments) const {
  StartedRun run = start(arguments);
  if (client_->awaits_runs()) run.done.wait();
  return std::move(run.results);
}

ProgramMemory Executable::memory() const {
  const Owned<PJRT_Executable> executable = unloaded();
  auto args = make_args<PJRT_Executable_GetCompiledMemoryStats_Args>();
  args.executable = executable.get();
  call(client_->plugin().api(), args, signature_->name);
  return {.code = args.generated_code_size_in_bytes,
          .arguments = args.argument_size_in_bytes,
          .results = args.output_size_in_bytes,
          .aliased = args.alias_size_in_bytes,
          .temporary = args.temp_size_in_bytes};
}

std::vector<std::byte> Executable::serialise() const {
  const Owned<PJRT_Executable> executable = unloaded();
  auto args = make_args<PJRT_Executable_Serialize_Args>();
  args.executable = executable.get();
  call(client_->plugin().api(), args, signature_->name);
  const auto* begin = reinterpret_cast<const std::byte*>(args.serialized_bytes);
  std::vector<std::byte> bytes(begin, begin + args.serialized_bytes_size);
  const ForeignCall entered(client_->plugin().api().name.c_str(), "serialized_executable_deleter");
  if (args.serialized_executable_deleter != nullptr)
    args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

}  // namespace deepinfer::pjrt
