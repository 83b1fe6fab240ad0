#pragma once

// Compiled programs by their text: equal text is compiled once. The programs of one executable are
// asked for together, as a batch, and made by several threads.

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/pjrt/parallel_jobs.h"
#include "backend/pjrt/program_compiler.h"
#include "backend/pjrt/stablehlo/lower.h"

namespace deepinfer::pjrt {

/// Programs to be made, each text once.
class ProgramBatch {
 public:
  ProgramBatch() = default;
  ~ProgramBatch() = default;
  ProgramBatch(const ProgramBatch&) = delete;  // requests point into numbers_
  ProgramBatch& operator=(const ProgramBatch&) = delete;

  /// The program's number in the batch. `name` is what errors call it if it is new.
  std::size_t add(const LoweredModule& module, const std::string& name);
  std::size_t add(const std::string& text, std::shared_ptr<const Signature> signature);
  std::size_t size() const { return requests_.size(); }

 private:
  friend class ProgramStore;
  struct Request {
    const std::string* text;  // a key of numbers_
    std::shared_ptr<const Signature> signature;
  };

  std::map<std::string, std::size_t> numbers_;
  std::vector<Request> requests_;
};

/// A program, or why there is none.
struct ProgramOutcome {
  std::shared_ptr<const Program> program;
  std::exception_ptr fault;
};

/// Belongs to a backend; one thread at a time.
class ProgramStore {
 public:
  /// Compiles on at most `threads` threads; the rest as ProgramCompiler.
  ProgramStore(std::shared_ptr<const Client> client, std::string option_bytes, int threads,
               const std::string& cache_folder);

  /// By number: found in memory, loaded from disk or compiled. Which of them fail, and how, does
  /// not depend on the threads. Throws what the progress throws.
  std::vector<ProgramOutcome> programs(const ProgramBatch& batch);
  /// A single program. Throws its fault.
  std::shared_ptr<const Program> program(const std::string& text,
                                         std::shared_ptr<const Signature> signature);

  /// Told of later batches: the programs that are not in memory.
  void report(JobProgress progress) { progress_ = std::move(progress); }

  CompileCounts counts() const { return compiler_.counts(); }
  std::vector<std::string> notes() const { return compiler_.notes(); }

 private:
  int threads_;
  ProgramCompiler compiler_;
  JobProgress progress_;
  std::map<std::string, std::weak_ptr<const Program>> programs_;
};

}  // namespace deepinfer::pjrt
