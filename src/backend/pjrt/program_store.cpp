#include "backend/pjrt/program_store.h"

#include "backend/pjrt/device_store.h"

namespace deepinfer::pjrt {

std::shared_ptr<const Program> ProgramStore::program(const LoweredModule& module,
                                                     const std::string& name) {
  std::weak_ptr<const Program>& known = programs_[module.text];
  if (auto program = known.lock()) return program;
  auto signature = std::make_shared<Signature>();
  signature->name = name;
  for (const Parameter& parameter : module.parameters)
    signature->parameters.push_back({parameter.name, type_of(parameter)});
  for (std::size_t i = 0; i < module.results.size(); ++i)
    signature->results.push_back({"result " + std::to_string(i), type_of(module.results[i])});
  auto program = std::make_shared<const Program>(
      client_->compile(module.text, std::move(signature), option_bytes_));
  known = program;
  return program;
}

}  // namespace deepinfer::pjrt
