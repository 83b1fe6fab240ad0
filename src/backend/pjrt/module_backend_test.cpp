#include "backend/pjrt/module_backend_test.h"

#include <cstring>
#include <map>
#include <stdexcept>

#include "backend/pjrt/client/compile_options.h"

namespace deepinfer::pjrt::test {
namespace {

using Bytes = std::vector<std::byte>;

std::size_t bytes_of(const Parameter& parameter) {
  return TensorType{.type = parameter.type, .dims = parameter.dims}.bytes();
}

std::int64_t offset_of(const Graph& graph, ValueId view) {
  for (const Node& node : graph.nodes)
    if (const auto* op = std::get_if<CacheView>(&node.op); op && node.results.front() == view)
      return op->recipe.offset;
  throw std::logic_error("module backend: no view of that value");
}

struct Program {
  LoweredModule module;
  Executable executable;
};

class ModuleExecutable : public deepinfer::Executable {
 public:
  ModuleExecutable(std::shared_ptr<const Client> client, std::shared_ptr<const Graph> graph,
                   const Bindings& bindings, GraphMode mode, LowerOptions options)
      : client_(std::move(client)),
        graph_(std::move(graph)),
        storage_(graph_->values.size()),
        weights_(graph_->values.size()) {
    for (std::size_t id = 0; id < graph_->values.size(); ++id) {
      const Value& value = graph_->values[id];
      if (value.kind == ValueKind::weight) weights_[id] = bindings.weights(value);
      if (value.kind == ValueKind::metadata || value.kind == ValueKind::root)
        storage_[id] = bindings.storage(value);
    }
    options.plain_type = [&bindings](const Value& value) {
      return bindings.weights(value).front().dtype;
    };
    if (mode != GraphMode::eager) {
      add(lower_graph(*graph_, options));
      return;
    }
    for (const Node& node : graph_->nodes)
      if (!std::holds_alternative<CacheView>(node.op)) add(lower_node(*graph_, node, options));
  }

  void run() override {
    values_.clear();
    for (const Program& program : programs_) run(program);
  }

  TensorRef output(std::string_view name) const override {
    for (const GraphOutput& output : graph_->outputs)
      if (output.name == name) {
        Bytes& bytes = values_.at(output.value);
        const Value& value = graph_->value(output.value);
        return {.data = bytes.data(),
                .dtype = value.dtype,
                .shape = value.shape,
                .row_bytes = static_cast<std::int64_t>(bytes.size()) / value.shape[0]};
      }
    throw std::logic_error("module backend: no such output");
  }

  ExecutableInfo info() const override { return {}; }
  const Graph& graph() const override { return *graph_; }
  void observe(StepObserver* /*observer*/) override {}

 private:
  void add(LoweredModule module) {
    auto signature = std::make_shared<Signature>();
    signature->name = "module";
    for (const Parameter& parameter : module.parameters)
      signature->parameters.push_back({parameter.name, {parameter.type, parameter.dims}});
    for (const Result& result : module.results)
      signature->results.push_back({graph_->value(result.value).name, {result.type, result.dims}});
    try {
      pjrt::Executable executable =
          client_->compile(module.text, signature, compile_option_bytes({}));
      programs_.push_back({std::move(module), std::move(executable)});
    } catch (const std::exception& error) {
      throw std::runtime_error(std::string(error.what()) + "\n" + module.text);
    }
  }

  Bytes contents(const Parameter& parameter) const {
    const auto index = static_cast<std::size_t>(parameter.value);
    Bytes bytes;
    if (parameter.kind == ParameterKind::weight || parameter.kind == ParameterKind::scales) {
      const std::vector<WeightRef>& refs = weights_[index];
      const std::size_t each = bytes_of(parameter) / refs.size();
      for (const WeightRef& ref : refs) {
        const auto* from = parameter.kind == ParameterKind::weight
                               ? ref.data
                               : reinterpret_cast<const std::byte*>(ref.scales);
        bytes.insert(bytes.end(), from, from + each);
      }
      return bytes;
    }
    if (parameter.kind == ParameterKind::offset) {
      const std::int64_t offset = offset_of(*graph_, parameter.value);
      const auto* from = reinterpret_cast<const std::byte*>(&offset);  // little-endian
      return {from, from + bytes_of(parameter)};
    }
    const auto made = values_.find(parameter.value);
    if (made != values_.end()) return made->second;
    const std::byte* from = storage_[index];
    return {from, from + bytes_of(parameter)};
  }

  void run(const Program& program) {
    std::vector<Buffer> buffers;
    for (const Parameter& parameter : program.module.parameters)
      buffers.push_back(
          client_->upload({parameter.name, {parameter.type, parameter.dims}}, contents(parameter)));
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      arguments.push_back(program.module.parameters[i].result >= 0 ? Argument::give(buffers[i])
                                                                   : Argument::lend(buffers[i]));
    const std::vector<Buffer> results = program.executable.run(arguments);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Result& result = program.module.results[i];
      Bytes bytes(results[i].type().bytes());
      results[i].download(bytes);
      if (result.kind == ResultKind::value)
        values_[result.value] = std::move(bytes);
      else
        std::memcpy(storage_[static_cast<std::size_t>(result.value)], bytes.data(), bytes.size());
    }
  }

  std::shared_ptr<const Client> client_;
  std::shared_ptr<const Graph> graph_;
  std::vector<std::byte*> storage_;              // by value id
  std::vector<std::vector<WeightRef>> weights_;  // by value id
  std::vector<Program> programs_;
  mutable std::map<ValueId, Bytes> values_;  // a TensorRef points to bytes that may be written
};

class ModuleBackend : public Backend {
 public:
  ModuleBackend(std::shared_ptr<const Client> client, LowerOptions options)
      : client_(std::move(client)), options_(std::move(options)) {}

  std::string_view name() const override { return "modules"; }
  std::string describe() const override { return "modules"; }
  std::unique_ptr<deepinfer::Executable> compile(std::shared_ptr<const Graph> graph,
                                                 const Bindings& bindings,
                                                 GraphMode mode) override {
    return std::make_unique<ModuleExecutable>(client_, std::move(graph), bindings, mode, options_);
  }
  std::size_t workspace_bytes(const Graph& /*graph*/, const Node& /*node*/) const override {
    return 0;
  }

 private:
  std::shared_ptr<const Client> client_;
  LowerOptions options_;
};

}  // namespace

std::unique_ptr<Backend> module_backend(std::shared_ptr<const Client> client,
                                        const TypeSupport& types, bool offset_parameters) {
  return std::make_unique<ModuleBackend>(
      std::move(client),
      LowerOptions{.types = types, .plain_type = {}, .offset_parameters = offset_parameters});
}

}  // namespace deepinfer::pjrt::test
