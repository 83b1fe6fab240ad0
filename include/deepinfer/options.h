#pragma once

// Every setting of a run, resolved once into one immutable struct: defaults, then environment
// variables (DEEPINFER_<NAME>), then flags. Nothing reads the environment later.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

/// pjrt: a device behind a PJRT plug-in; only in builds that have it.
enum class BackendKind { reference, cpu, pjrt };
/// eager: op by op. whole: one executable per step size over the cache roots. regions: the step
/// runs op by op, but layers of a kind share compiled regions.
enum class GraphMode { eager, whole, regions };
std::string_view name_of(GraphMode mode);
enum class Layout { block_major, layer_major };
/// official: the rounding points of the official inference code; fp32: only the cache quantisers.
enum class Numerics { official, fp32 };
enum class EngramMode { automatic, memory, disk };
enum class LogLevel { error, warning, info, debug };

struct Options {
  std::string model;  ///< checkpoint directory; empty = the bundled model
  BackendKind backend = BackendKind::cpu;
  GraphMode graph_mode = GraphMode::whole;
  bool fullgraph = true;
  int max_batch = 16;
  int prefill_bucket = 128;
  std::int64_t max_context = 0;  ///< 0 = what the KV buffer holds, at most the model's limit
  /// Smallest length of sequences that graphs are captured for; 0 = only max_context; none = by
  /// backend.
  std::optional<std::int64_t> context_bucket;
  std::int64_t kv_memory = 0;  ///< bytes; 0 = a quarter of free memory, at most 4 GiB
  int block_tokens = 64;       ///< positions per KV block; even
  std::optional<Layout>
      layout;  ///< none = by graph mode: layer_major for regions, else block_major
  Numerics numerics = Numerics::official;
  bool input_on_device = false;
  int threads = 0;           ///< 0 = physical cores allowed to the process
  std::string isa = "auto";  ///< auto, scalar, avx2, avx512
  EngramMode engram = EngramMode::automatic;
  std::string pjrt_plugin;      ///< shared object; empty: none
  std::string pjrt_options;     ///< options of its client, as given; empty: its family's
  std::string compile_backend;  ///< options of its compiler, as given; empty: its defaults
  std::string compile_cache;    ///< folder of its compiled programs; empty: none are kept
  LogLevel log_level = LogLevel::info;

  // What programs show of a run; the library's watchers are set up by hand (GraphRunner::observe).
  bool alias_debug = false;  ///< GraphRunner::alias_report() has something to say
  bool region_timing = false;
  std::string trace_file;  ///< empty: none
  int trace_steps = 16;    ///< the first steps

  // Sampling (what a request does not set itself).
  std::uint64_t seed = 0;
  float temperature = 0;  ///< 0 = greedy
  float top_p = 1;
  int top_k = 0;  ///< 0 = off
  float min_p = 0;
  int max_tokens = 128;
  std::vector<std::string> stop;
};

/// nullptr for a variable that is not set.
using Environment = std::function<const char*(const char* name)>;

/// One line of the options table: the single declaration from which flag, variable, default, help
/// and check all come.
struct OptionSpec {
  std::string_view flag;        ///< "--max-batch"
  std::string_view short_flag;  ///< "-m" or empty
  std::string_view variable;    ///< "MAX_BATCH"; empty = flag only
  std::string_view values;      ///< what is accepted, for help and errors
  std::string_view help;
  /// Parses and checks `text` into `options`; throws Error (bad_input) without a `where`-less part:
  /// `where` is the flag or variable the text came from.
  std::function<void(Options& options, std::string_view text, std::string_view where)> set;
  std::function<std::string(const Options& options)> get;  ///< the value as text
  /// A default that depends on the environment: text for `set`, empty for that of Options. Not set:
  /// there is none.
  std::function<std::string(const Environment& getenv_fn)> default_text = {};
};

std::span<const OptionSpec> option_table();

enum class OptionSource { default_value, environment, flag };

struct ResolvedOption {
  const OptionSpec* spec;
  std::string value;
  OptionSource source;
  std::string variable;  ///< the variable's full name, if that is the source
};

struct ResolvedOptions {
  Options options;
  std::vector<ResolvedOption> origin;  ///< one per line of the table, in its order
};

struct FlagValue {
  std::string flag;  ///< "--max-batch"
  std::string text;
};

/// Applies defaults, then per option its flags (in order) or else its variable: a variable that a
/// flag overrides is not read. What depends on the model or the machine (context, memory, isa) is
/// checked where those are known.
/// `getenv_fn(name)` returns nullptr when unset (std::getenv in programs, a map in tests).
/// DEEPINFER_NEURON_<NAME> is accepted as an alias of DEEPINFER_<NAME> where the seed had it
/// (GRAPH_MODE, PREFILL_BUCKET, FULLGRAPH, REGION_TIMING, ALIAS_DEBUG). An unknown DEEPINFER_*
/// variable is not an error here.
ResolvedOptions resolve_options(std::span<const FlagValue> flags, const Environment& getenv_fn);

}  // namespace deepinfer
