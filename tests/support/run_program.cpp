#include "tests/support/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace deepinfer {
namespace {

constexpr auto kPatience = std::chrono::minutes(2);  // sanitizers on a busy machine
constexpr int kPollMilliseconds = 100;
constexpr int kNotStarted = 127;
constexpr int kSignalBase = 128;

/// Both ends of a pipe; closes what is still open.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(std::size_t end) {
    if (ends.at(end) >= 0) close(ends.at(end));
    ends.at(end) = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_of(const ProgramCall& call) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "DEEPINFER_", std::strlen("DEEPINFER_")) != 0)
      variables.emplace_back(*variable);
  for (const auto& [name, value] : call.environment)
    variables.emplace_back(name).append("=").append(value);
  return variables;
}

/// Reads what is there; false at the end.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// The parent's side: feeds and collects until both outputs end.
class Conversation {
 public:
  Conversation(const ProgramCall& call, pid_t child, Pipe& in, Pipe& out, Pipe& err)
      : call_(call), child_(child), in_(in), out_(out), err_(err) {}

  /// False if the program took too long.
  bool hold(ProgramResult& result) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (out_.ends[0] >= 0 || err_.ends[0] >= 0) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      if (written_ == call_.input.size()) in_.close_end(1);
      std::array<pollfd, 3> files{pollfd{in_.ends[1], POLLOUT, 0}, pollfd{out_.ends[0], POLLIN, 0},
                                  pollfd{err_.ends[0], POLLIN, 0}};
      poll(files.data(), files.size(), kPollMilliseconds);
      if (files[0].revents != 0) feed();
      if (files[1].revents != 0) take_output(result);
      if (files[2].revents != 0 && !read_some(err_.ends[0], result.err)) err_.close_end(0);
    }
    return true;
  }

 private:
  void feed() {
    const ssize_t count =
        write(in_.ends[1], call_.input.data() + written_, call_.input.size() - written_);
    if (count > 0)
      written_ += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      written_ = call_.input.size();  // it does not want the rest
  }

  void take_output(ProgramResult& result) {
    if (!read_some(out_.ends[0], result.out)) {
      out_.close_end(0);
      return;
    }
    if (call_.interrupt_at_output && !interrupted_) kill(child_, SIGINT);
    interrupted_ = true;
    if (call_.close_at_output) out_.close_end(0);
  }

  const ProgramCall& call_;
  pid_t child_;
  Pipe& in_;
  Pipe& out_;
  Pipe& err_;
  std::size_t written_ = 0;
  bool interrupted_ = false;
};

/// The child's side. Only async-signal-safe calls.
[[noreturn]] void start(const ProgramCall& call, const Pipe& in, const Pipe& out, const Pipe& err,
                        char** arguments, char** environment) {
  dup2(in.ends[0], STDIN_FILENO);
  dup2(call.stdout_path.empty() ? out.ends[1] : open(call.stdout_path.c_str(), O_WRONLY),
       STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  if (call.file_size_limit.has_value()) {
    const rlimit limit{*call.file_size_limit, *call.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::signal(SIGPIPE, SIG_DFL);
  execve(arguments[0], arguments, environment);
  _exit(kNotStarted);
}

}  // namespace

int ProgramResult::error_lines() const {
  return static_cast<int>(std::count(err.begin(), err.end(), '\n'));
}

ProgramResult run_program(const std::string& program, const ProgramCall& call) {
  std::signal(SIGPIPE, SIG_IGN);  // a program may end without reading its stdin
  std::vector<std::string> arguments = {program};
  arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
  std::vector<std::string> environment = environment_of(call);
  const std::vector<char*> argument_list = pointers(arguments);
  const std::vector<char*> environment_list = pointers(environment);
  Pipe in;
  Pipe out;
  Pipe err;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0)
    start(call, in, out, err, const_cast<char**>(argument_list.data()),  // NOLINT: execve's type
          const_cast<char**>(environment_list.data()));                  // NOLINT
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);

  ProgramResult result;
  const bool ended = Conversation(call, child, in, out, err).hold(result);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ended)
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  if (result.exit_code == kNotStarted) throw std::runtime_error("cannot start " + program);
  return result;
}

}  // namespace deepinfer
