#include "core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/processor_count.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

// How long a member spins before it sleeps: some 40 microseconds where a pause takes 40 ns (Intel
// since Skylake), longer than the gap between two ops of a replay. None at all when members
// outnumber the processors they could spin on: a spinning member would keep a working one from
// running.
constexpr int kSpins = 1000;

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `word` differs from `old`.
void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t old, int spins) {
  for (int spin = 0; spin < spins; ++spin) {
    if (word.load(std::memory_order_acquire) != old) return;
    pause();
  }
  while (word.load(std::memory_order_acquire) == old) word.wait(old, std::memory_order_acquire);
}

}  // namespace

struct ThreadPool::State {
  int members = 1;
  int spins = 0;
  // Each word on a cache line of its own: workers poll `generation` while others count `pending`.
  alignas(64) std::atomic<std::uint32_t> generation{0};
  alignas(64) std::atomic<std::uint32_t> pending{0};
  /// The last round in which the part of a member was begun, by whoever came first.
  std::vector<std::atomic<std::uint32_t>> begun;
  alignas(64) Entry entry = nullptr;
  void* context = nullptr;
  ThreadObserver* observer = nullptr;
  std::atomic<bool> stopping{false};  // a worker may look between rounds, when the caller is free
  std::vector<std::thread> workers;

  void call(int member) const {
    if (observer != nullptr) observer->work_begins(member);
    entry(context, member);
    if (observer != nullptr) observer->work_ends(member);
  }

  /// Whether the part of `member` in this round is the caller's to run now. A worker that wakes up
  /// after its round has ended fails here: the word holds that round already.
  bool begin(int member, std::uint32_t round) {
    std::uint32_t before = round - 1;
    return begun[static_cast<std::size_t>(member)].compare_exchange_strong(before, round);
  }

  void work(int member) {
    std::uint32_t seen = 0;
    while (true) {
      wait_while(generation, seen, spins);
      seen = generation.load(std::memory_order_acquire);
      if (stopping) return;
      if (!begin(member, seen)) continue;
      call(member);
      if (pending.fetch_sub(1) == 1) pending.notify_one();
    }
  }

  // Sequentially consistent, here and in fetch_sub: notify looks at a count of sleepers, and that
  // look must not move before the change that the sleepers wait for.
  void start_round() {
    generation.fetch_add(1);
    generation.notify_all();
  }

  void stop() {
    stopping = true;
    start_round();
    for (std::thread& worker : workers) worker.join();
    workers.clear();
  }
};

Range split_range(std::int64_t count, int index, int members, std::int64_t grain) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t share = grains / members;
  const std::int64_t extra = grains % members;
  const std::int64_t first = index * share + std::min<std::int64_t>(index, extra);
  const std::int64_t last = first + share + (index < extra ? 1 : 0);
  return {std::min(first * grain, count), std::min(last * grain, count)};
}

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads < 1)
    throw Error::bad_input("threads", "too few",
                           {.expected = "at least 1", .got = std::to_string(threads), .hint = {}});
  State* state = state_.get();
  state->members = threads;
  state->begun = std::vector<std::atomic<std::uint32_t>>(static_cast<std::size_t>(threads));
  state->spins = threads <= allowed_processors() ? kSpins : 0;
  state->workers.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int member = 1; member < threads; ++member)
      state->workers.emplace_back([state, member] { state->work(member); });
  } catch (const std::system_error& error) {
    const std::size_t started = state->workers.size();
    state->stop();
    throw Error::failed("threads", "cannot start a thread",
                        {.expected = std::to_string(threads - 1) + " workers",
                         .got = std::to_string(started) + " and then: " + error.what(),
                         .hint = "use fewer --threads"});
  }
}

ThreadPool::~ThreadPool() { state_->stop(); }

int ThreadPool::size() const { return state_->members; }

void ThreadPool::observe(ThreadObserver* observer) { state_->observer = observer; }

int ThreadPool::default_threads() { return allowed_physical_cores(); }

void ThreadPool::run_erased(Entry entry, void* context) {
  State& state = *state_;
  state.entry = entry;
  state.context = context;
  if (state.members == 1) {
    state.call(0);
    return;
  }
  state.pending.store(static_cast<std::uint32_t>(state.members - 1), std::memory_order_relaxed);
  state.start_round();
  state.call(0);
  // On a busy machine a worker may not get a processor for milliseconds. Its part is the same
  // whoever runs it, so what no worker has begun by now is run here.
  const std::uint32_t round = state.generation.load(std::memory_order_relaxed);
  for (int member = 1; member < state.members; ++member) {
    if (!state.begin(member, round)) continue;
    state.call(member);
    state.pending.fetch_sub(1);
  }
  for (std::uint32_t left = state.pending.load(std::memory_order_acquire); left != 0;
       left = state.pending.load(std::memory_order_acquire))
    wait_while(state.pending, left, state.spins);
}

}  // namespace deepinfer
