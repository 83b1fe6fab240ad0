#include "backend/pjrt/program_store.h"

#include <algorithm>
#include <utility>

#include "backend/pjrt/device_store.h"

namespace deepinfer::pjrt {
namespace {

// Each compiler takes memory of its own, up to gigabytes on some devices: more processors than this
// are no reason for more of them.
constexpr int kMostThreads = 16;

}  // namespace

std::size_t ProgramBatch::add(const LoweredModule& module, const std::string& name) {
  auto signature = std::make_shared<Signature>();
  signature->name = name;
  for (const Parameter& parameter : module.parameters)
    signature->parameters.push_back({parameter.name, type_of(parameter)});
  for (std::size_t i = 0; i < module.results.size(); ++i)
    signature->results.push_back({"result " + std::to_string(i), type_of(module.results[i])});
  return add(module.text, std::move(signature));
}

std::size_t ProgramBatch::add(const std::string& text, std::shared_ptr<const Signature> signature) {
  const auto [known, added] = numbers_.try_emplace(text, requests_.size());
  if (added) requests_.push_back({.text = &known->first, .signature = std::move(signature)});
  return known->second;
}

ProgramStore::ProgramStore(std::shared_ptr<const Client> client, std::string option_bytes,
                           int threads, const std::string& cache_folder)
    : threads_(std::min(threads, kMostThreads)),
      compiler_(std::move(client), std::move(option_bytes), cache_folder) {}

std::vector<ProgramOutcome> ProgramStore::programs(const ProgramBatch& batch) {
  std::vector<ProgramOutcome> outcomes(batch.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    outcomes[i].program = programs_[*batch.requests_[i].text].lock();
    if (outcomes[i].program == nullptr) missing.push_back(i);
  }
  const auto make = [&](std::size_t job) {
    const ProgramBatch::Request& request = batch.requests_[missing[job]];
    ProgramOutcome& outcome = outcomes[missing[job]];
    try {
      outcome.program = compiler_.make(*request.text, request.signature);
    } catch (...) {
      outcome.fault = std::current_exception();
    }
  };
  run_jobs(missing.size(), threads_, make, progress_);
  compiler_.finish();
  for (const std::size_t i : missing) programs_[*batch.requests_[i].text] = outcomes[i].program;
  return outcomes;
}

std::shared_ptr<const Program> ProgramStore::program(const std::string& text,
                                                     std::shared_ptr<const Signature> signature) {
  ProgramBatch batch;
  batch.add(text, std::move(signature));
  const ProgramOutcome outcome = programs(batch).front();
  if (outcome.fault != nullptr) std::rethrow_exception(outcome.fault);
  return outcome.program;
}

}  // namespace deepinfer::pjrt
