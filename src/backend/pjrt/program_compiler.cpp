#include "backend/pjrt/program_compiler.h"

#include <fmt/format.h>

#include <utility>

#include "backend/pjrt/compile_failure.h"
#include "core/sha256.h"

namespace deepinfer::pjrt {
namespace {

/// Whether the plug-in said of a call, or shows by lacking it, that it cannot do it at all.
bool is_missing(const Error& fault) {
  if (const auto* refusal = dynamic_cast<const ApiError*>(&fault))
    return refusal->code() == StatusCode::unimplemented;
  return fault.kind() == Error::Kind::bad_input;
}

}  // namespace

std::optional<std::int64_t> temporary_bytes(const Program& program) {
  try {
    return program.memory().temporary;
  } catch (const ApiError&) {
    return std::nullopt;
  }
}

ProgramCompiler::ProgramCompiler(std::shared_ptr<const Client> client, std::string option_bytes,
                                 const std::string& cache_folder)
    : client_(std::move(client)), option_bytes_(std::move(option_bytes)) {
  if (cache_folder.empty()) return;
  cache_.emplace(cache_folder);
  // Takes a second or more: meanwhile the start goes on until it needs the first program.
  plugin_sha256_ = std::async(sha256_of_file, client_->plugin().file()).share();
}

std::shared_ptr<const Program> ProgramCompiler::make(
    std::string_view text, const std::shared_ptr<const Signature>& signature) {
  const std::string key = key_of(text);
  if (!key.empty())
    if (auto program = load(key, signature)) return program;
  auto program = compile(text, signature);
  if (!key.empty()) keep(key, *program);
  return program;
}

bool ProgramCompiler::uses_cache() const {
  const std::scoped_lock lock(mutex_);
  return cache_.has_value() && cache_works_;
}

std::string ProgramCompiler::key_of(std::string_view text) {
  if (!uses_cache()) return {};
  try {
    const std::string& plugin = plugin_sha256_.get();
    const std::scoped_lock lock(mutex_);
    if (!identity_.has_value()) identity_ = identity_of(*client_, plugin);
    return compile_key(*identity_, text, option_bytes_);
  } catch (const Error& fault) {
    give_up_cache(fault.what());
    return {};
  }
}

std::shared_ptr<const Program> ProgramCompiler::load(
    const std::string& key, const std::shared_ptr<const Signature>& signature) {
  const auto bytes = cache_->find(key, signature->name);
  if (!bytes.has_value()) return nullptr;
  try {
    auto program = std::make_shared<const Program>(client_->deserialise(*bytes, signature));
    const std::scoped_lock lock(mutex_);
    ++counts_.loaded;
    return program;
  } catch (const Error& fault) {
    const auto* refusal = dynamic_cast<const ApiError*>(&fault);
    if (refusal != nullptr && refusal->out_of_memory())  // compiling would need that memory as well
      throw no_room_for(*signature, *refusal, client_->memory());
    if (is_missing(fault))
      give_up_cache(fault.what());
    else
      cache_->discard(key, signature->name, fmt::format("cannot be loaded: {}", fault.what()));
    return nullptr;
  }
}

std::shared_ptr<const Program> ProgramCompiler::compile(
    std::string_view text, const std::shared_ptr<const Signature>& signature) {
  const auto attempt = [&] {
    return std::make_shared<const Program>(client_->compile(text, signature, option_bytes_));
  };
  std::string retry_note;
  std::shared_ptr<const Program> program;
  try {
    program = attempt();
  } catch (const ApiError& fault) {
    retry_note = fmt::format("{} was compiled at the second try, the first failed with {}: {}",
                             signature->name, name_of(fault.code()), last_lines(fault.text()));
    const std::scoped_lock lock(mutex_);
    ++counts_.retried;
  }
  try {
    if (program == nullptr) program = attempt();
  } catch (const ApiError& fault) {
    if (fault.out_of_memory()) throw no_room_for(*signature, fault, client_->memory());
    throw compile_failure(*signature, fault);
  }
  const std::scoped_lock lock(mutex_);
  ++counts_.compiled;
  if (!retry_note.empty()) notes_.push_back(std::move(retry_note));
  return program;
}

void ProgramCompiler::keep(const std::string& key, const Program& program) {
  if (!uses_cache()) return;
  try {
    cache_->keep(key, program.serialise());
    const std::scoped_lock lock(mutex_);
    kept_ = true;
  } catch (const Error& fault) {
    give_up_cache(fault.what());
  }
}

void ProgramCompiler::give_up_cache(std::string_view why) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(cache_works_, false)) return;  // another thread was quicker: said once
  notes_.push_back(
      fmt::format("programs are not kept on disk, every start compiles them: {}", why));
}

void ProgramCompiler::finish() {
  {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(kept_, false)) return;
  }
  cache_->trim();
}

CompileCounts ProgramCompiler::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

std::vector<std::string> ProgramCompiler::notes() const {
  std::vector<std::string> notes =
      cache_.has_value() ? cache_->notes() : std::vector<std::string>();
  const std::scoped_lock lock(mutex_);
  notes.insert(notes.end(), notes_.begin(), notes_.end());
  return notes;
}

}  // namespace deepinfer::pjrt
