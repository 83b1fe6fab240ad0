#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/option_values.h"
#include "deepinfer/options.h"

// The options table. A row is made by one of the small builders below, which pairs a field of
// Options with the reader of its type; flags, variables and meanings are the interface contract's.

namespace deepinfer {
namespace {

constexpr int kLargestInt = std::numeric_limits<int>::max();

/// The parts of a row that are plain text.
struct RowText {
  std::string_view flag;
  std::string_view short_flag;
  std::string_view variable;
  std::string_view values;
  std::string_view help;
};

using Setter = std::function<void(Options&, std::string_view, const ValueContext&)>;
using Getter = std::function<std::string(const Options&)>;

OptionSpec row(const RowText& text, Setter set, Getter get) {
  return {.flag = text.flag,
          .short_flag = text.short_flag,
          .variable = text.variable,
          .values = text.values,
          .help = text.help,
          .set =
              [set = std::move(set), values = text.values](Options& options, std::string_view value,
                                                           std::string_view where) {
                set(options, value, {where, values});
              },
          .get = std::move(get)};
}

/// Whole number in least..most.
template <typename Number>
OptionSpec integer(const RowText& text, Number Options::*field, Number least, Number most) {
  return row(
      text,
      [=](Options& options, std::string_view value, const ValueContext& context) {
        options.*field = static_cast<Number>(parse_integer(context, value, least, most));
      },
      [=](const Options& options) { return std::to_string(options.*field); });
}

/// Whole number in 1..most; "auto", kept as 0, leaves the choice to the program.
template <typename Number>
OptionSpec automatic_integer(const RowText& text, Number Options::*field, Number most) {
  return row(
      text,
      [=](Options& options, std::string_view value, const ValueContext& context) {
        options.*field =
            value == "auto" ? 0 : static_cast<Number>(parse_integer(context, value, 1, most));
      },
      [=](const Options& options) {
        return options.*field == 0 ? "auto" : std::to_string(options.*field);
      });
}

/// Finite number that `accepts` takes.
OptionSpec real(const RowText& text, float Options::*field, bool (*accepts)(float)) {
  return row(
      text,
      [=](Options& options, std::string_view value, const ValueContext& context) {
        const float number = parse_real(context, value);
        if (!accepts(number)) throw bad_value(context, "out of range", value);
        options.*field = number;
      },
      [=](const Options& options) { return real_text(options.*field); });
}

OptionSpec boolean(const RowText& text, bool Options::*field) {
  return row(
      text,
      [=](Options& options, std::string_view value, const ValueContext& context) {
        options.*field = parse_bool(context, value);
      },
      [=](const Options& options) { return options.*field ? "true" : "false"; });
}

/// A value that the interface names and this build cannot honour.
struct Refused {
  std::string_view name;
  std::string_view hint;
};

/// One of a list of names. `refused` gives a name of the interface its own explanation.
template <typename Value, std::size_t kCount>
OptionSpec choice(const RowText& text, Value Options::*field,
                  std::array<std::pair<std::string_view, Value>, kCount> names,
                  Refused refused = {}) {
  return row(
      text,
      [=](Options& options, std::string_view value, const ValueContext& context) {
        for (const auto& [name, meaning] : names) {
          if (value != name) continue;
          options.*field = meaning;
          return;
        }
        if (!refused.name.empty() && value == refused.name)
          throw bad_value(context, "not supported by this build", value, std::string(refused.hint));
        throw bad_value(context, "unknown value", value);
      },
      [=](const Options& options) {
        for (const auto& [name, meaning] : names)
          if (options.*field == meaning) return std::string(name);
        return std::string("?");
      });
}

template <typename Value>
using Name = std::pair<std::string_view, Value>;

OptionSpec model_row() {
  return row(
      {"--model", "-m", "MODEL", "directory", "official checkpoint directory"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty path", value);
        options.model = value;
      },
      [](const Options& options) {
        return options.model.empty() ? std::string("bundled model") : options.model;
      });
}

OptionSpec backend_row() {
  constexpr Name<BackendKind> kReference = {"reference", BackendKind::reference};
  constexpr Name<BackendKind> kCpu = {"cpu", BackendKind::cpu};
#ifdef DEEPINFER_PJRT
  return choice({"--backend", "", "BACKEND", "reference, cpu or pjrt",
                 "who runs the graphs; pjrt: a device, by --pjrt-plugin"},
                &Options::backend,
                std::array{kReference, kCpu, Name<BackendKind>{"pjrt", BackendKind::pjrt}});
#else
  return choice({"--backend", "", "BACKEND", "reference or cpu", "who runs the graphs"},
                &Options::backend, std::array{kReference, kCpu},
                {"pjrt", "run make pjrt and build again"});
#endif
}

OptionSpec context_bucket_row() {
  return row(
      {"--context-bucket", "", "CONTEXT_BUCKET", "auto, off or integer 1..2147483647",
       "captures each size also for sequences up to this long, and up to 4 and 16 times … "
       "--max-context; auto: 4096 on pjrt, where a graph's work goes by the longest sequence it "
       "holds, else off"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value == "auto")
          options.context_bucket = std::nullopt;
        else
          options.context_bucket =
              value == "off" ? 0 : parse_integer(context, value, 1, kLargestInt);
      },
      [](const Options& options) {
        if (!options.context_bucket.has_value()) return std::string("auto");
        return *options.context_bucket == 0 ? "off" : std::to_string(*options.context_bucket);
      });
}

OptionSpec kv_memory_row() {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;  // a PiB: above any machine, far below 2^63
  return row(
      {"--kv-memory", "", "KV_MEMORY", "auto or bytes with K, M or G, 1..1048576G",
       "the KV buffer; auto: a quarter of free memory, at most 4G"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        options.kv_memory = value == "auto" ? 0 : parse_bytes(context, value, kMost);
      },
      [](const Options& options) {
        return options.kv_memory == 0 ? "auto" : bytes_text(options.kv_memory);
      });
}

OptionSpec block_tokens_row() {
  constexpr int kMost = 4096;
  return row(
      {"--block-tokens", "", "BLOCK_TOKENS", "even integer 2..4096",
       "positions per block of the KV buffer"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        const std::int64_t tokens = parse_integer(context, value, 2, kMost);
        // A compressor group of ratio 2 must not straddle two blocks.
        if (tokens % 2 != 0) throw bad_value(context, "odd", value);
        options.block_tokens = static_cast<int>(tokens);
      },
      [](const Options& options) { return std::to_string(options.block_tokens); });
}

OptionSpec layout_row() {
  return row(
      {"--layout", "", "LAYOUT", "auto, block_major or layer_major",
       "column layout of the roots; auto: layer_major in graph mode regions, else block_major"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value == "auto")
          options.layout = std::nullopt;
        else if (value == "block_major")
          options.layout = Layout::block_major;
        else if (value == "layer_major")
          options.layout = Layout::layer_major;
        else
          throw bad_value(context, "unknown value", value);
      },
      [](const Options& options) {
        if (!options.layout.has_value()) return "auto";
        return *options.layout == Layout::block_major ? "block_major" : "layer_major";
      });
}

OptionSpec isa_row() {
  return row(
      {"--isa", "", "ISA", "auto, scalar, avx2, avx512 or amx",
       "forces a kernel set; one that this processor lacks is an error"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        constexpr std::array<std::string_view, 5> kSets = {"auto", "scalar", "avx2", "avx512",
                                                           "amx"};
        if (std::find(kSets.begin(), kSets.end(), value) == kSets.end())
          throw bad_value(context, "unknown value", value);
        options.isa = value;
      },
      [](const Options& options) { return options.isa; });
}

OptionSpec pjrt_plugin_row() {
  return row(
      {"--pjrt-plugin", "", "PJRT_PLUGIN", "file", "shared object of a PJRT plug-in"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty path", value);
        options.pjrt_plugin = value;
      },
      [](const Options& options) { return options.pjrt_plugin; });
}

OptionSpec pjrt_options_row() {
  return row(
      {"--pjrt-options", "", "PJRT_OPTIONS", "text, name=value,name=value",
       "options that the PJRT plug-in's client is started with, by its own names"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty text", value);
        options.pjrt_options = value;
      },
      [](const Options& options) { return options.pjrt_options; });
}

OptionSpec compile_backend_row() {
  return row(
      {"--compile-backend", "", "COMPILE_BACKEND", "text, name=value,name=value",
       "options that the PJRT plug-in's compiler is given, by its own names"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty text", value);
        options.compile_backend = value;
      },
      [](const Options& options) { return options.compile_backend; });
}

/// Where programs of the user keep what they can make again (XDG base directory specification):
/// only absolute paths count. Empty if the environment names no place.
std::string default_compile_cache(const Environment& getenv_fn) {
  const auto path_in = [&](const char* name) {
    const char* text = getenv_fn(name);
    return text != nullptr && *text == '/' ? std::string(text) : std::string();
  };
  std::string base = path_in("XDG_CACHE_HOME");
  if (base.empty()) {
    const std::string home = path_in("HOME");
    if (home.empty()) return {};
    base = home + "/.cache";
  }
  return base + "/deepinfer/compile";
}

OptionSpec compile_cache_row() {
  OptionSpec spec = row(
      {"--compile-cache", "", "COMPILE_CACHE", "folder, or off",
       "where compiled PJRT programs are kept, at most 4 GiB of them; without it "
       "$XDG_CACHE_HOME/deepinfer/compile or ~/.cache/deepinfer/compile"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty path", value);
        options.compile_cache = value == "off" ? "" : value;
      },
      [](const Options& options) {
        return options.compile_cache.empty() ? std::string("off") : options.compile_cache;
      });
  spec.default_text = default_compile_cache;
  return spec;
}

OptionSpec seed_row() {
  return row(
      {"--seed", "", "", "integer 0..18446744073709551615", "seed of the sampler"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        options.seed = parse_unsigned(context, value);
      },
      [](const Options& options) { return std::to_string(options.seed); });
}

OptionSpec stop_row() {
  return row(
      {"--stop", "", "", "text; may be given several times", "text that ends the answer"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty text", value);
        options.stop.emplace_back(value);
      },
      [](const Options& options) {
        std::string text;
        for (const std::string& stop : options.stop)
          text += (text.empty() ? "" : ", ") + quoted_text(stop);
        return text;
      });
}

void add_execution_rows(std::vector<OptionSpec>& rows) {
  rows.push_back(model_row());
  rows.push_back(backend_row());
  rows.push_back(choice(
      {"--graph-mode", "", "GRAPH_MODE", "eager, whole or regions",
       "whole: each step size is captured once as one graph and replayed; regions: layers of "
       "a kind share compiled regions; eager: op by op"},
      &Options::graph_mode,
      std::array{Name<GraphMode>{"eager", GraphMode::eager},
                 Name<GraphMode>{"whole", GraphMode::whole},
                 Name<GraphMode>{"regions", GraphMode::regions}}));
  rows.push_back(boolean({"--fullgraph", "", "FULLGRAPH", "true or false",
                          "true: a step that cannot be one graph is an error; false: it falls back "
                          "to regions, and those to eager"},
                         &Options::fullgraph));
}

void add_size_rows(std::vector<OptionSpec>& rows) {
  rows.push_back(integer({"--max-batch", "", "MAX_BATCH", "integer 1..1024",
                          "largest decode size; sizes 1, 2, 4, 8, … up to it are captured"},
                         &Options::max_batch, 1, 1024));
  rows.push_back(integer({"--prefill-bucket", "", "PREFILL_BUCKET", "integer 1..4096",
                          "rows of a prompt chunk step; one more captured size"},
                         &Options::prefill_bucket, 1, 4096));
  rows.push_back(automatic_integer<std::int64_t>(
      {"--max-context", "", "MAX_CONTEXT", "auto or integer 1..2147483647",
       "longest sequence; auto: what --kv-memory holds, at most the model's limit"},
      &Options::max_context, kLargestInt));  // the model's own limit is checked once it is open
  rows.push_back(context_bucket_row());
  rows.push_back(kv_memory_row());
  rows.push_back(block_tokens_row());
  rows.push_back(layout_row());
}

void add_machine_rows(std::vector<OptionSpec>& rows) {
  rows.push_back(choice({"--numerics", "", "NUMERICS", "official or fp32",
                         "rounding points of the official inference code, or none but the cache "
                         "quantisers"},
                        &Options::numerics,
                        std::array{Name<Numerics>{"official", Numerics::official},
                                   Name<Numerics>{"fp32", Numerics::fp32}}));
  rows.push_back(boolean({"--input-on-device", "", "INPUT_ON_DEVICE", "true or false",
                          "the caller already filled the device metadata; replay does not copy"},
                         &Options::input_on_device));
  rows.push_back(
      automatic_integer({"--threads", "", "THREADS", "auto or integer 1..1024",
                         "auto: physical cores allowed to the process; with pjrt, programs "
                         "that are compiled at a time"},
                        &Options::threads, 1024));
  rows.push_back(isa_row());
  rows.push_back(
      choice({"--engram", "", "ENGRAM", "auto, memory or disk", "how n-gram rows are read"},
             &Options::engram,
             std::array{Name<EngramMode>{"auto", EngramMode::automatic},
                        Name<EngramMode>{"memory", EngramMode::memory},
                        Name<EngramMode>{"disk", EngramMode::disk}}));
  rows.push_back(pjrt_plugin_row());
  rows.push_back(pjrt_options_row());
  rows.push_back(compile_backend_row());
  rows.push_back(compile_cache_row());
}

OptionSpec trace_file_row() {
  return row(
      {"--trace-file", "", "TRACE_FILE", "file",
       "writes the first steps, by op and thread, as a trace for chrome://tracing and Perfetto"},
      [](Options& options, std::string_view value, const ValueContext& context) {
        if (value.empty()) throw bad_value(context, "empty path", value);
        options.trace_file = value;
      },
      [](const Options& options) { return options.trace_file; });
}

void add_observation_rows(std::vector<OptionSpec>& rows) {
  rows.push_back(boolean({"--alias-debug", "", "ALIAS_DEBUG", "true or false",
                          "says which graph inputs share bytes, and why they may"},
                         &Options::alias_debug));
  rows.push_back(boolean({"--region-timing", "", "REGION_TIMING", "true or false",
                          "says what each step took by kind of region, and profiles step 8"},
                         &Options::region_timing));
  rows.push_back(trace_file_row());
  rows.push_back(integer({"--trace-steps", "", "TRACE_STEPS", "integer 1..256",
                          "how many steps --trace-file records, from the first on"},
                         &Options::trace_steps, 1, 256));  // memory is taken for all at the start
}

void add_sampling_rows(std::vector<OptionSpec>& rows) {
  rows.push_back(seed_row());
  rows.push_back(real({"--temperature", "", "", "number, at least 0", "0 = greedy"},
                      &Options::temperature, [](float value) { return value >= 0; }));
  rows.push_back(real({"--top-p", "", "", "number above 0, at most 1",
                       "keeps the likeliest tokens of this total probability; 1 = off"},
                      &Options::top_p, [](float value) { return value > 0 && value <= 1; }));
  rows.push_back(integer({"--top-k", "", "", "integer 0..2147483647",
                          "keeps this many of the likeliest tokens; 0 = off"},
                         &Options::top_k, 0, kLargestInt));
  rows.push_back(real({"--min-p", "", "", "number 0..1",
                       "drops tokens below this share of the likeliest one; 0 = off"},
                      &Options::min_p, [](float value) { return value >= 0 && value <= 1; }));
  rows.push_back(integer(
      {"--max-tokens", "-n", "", "integer 1..2147483647", "longest answer, reasoning included"},
      &Options::max_tokens, 1, kLargestInt));
  rows.push_back(stop_row());
}

}  // namespace

std::span<const OptionSpec> option_table() {
  static const std::vector<OptionSpec> table = [] {
    std::vector<OptionSpec> rows;
    add_execution_rows(rows);
    add_size_rows(rows);
    add_machine_rows(rows);
    add_observation_rows(rows);
    add_sampling_rows(rows);
    rows.push_back(choice({"--log-level", "", "LOG_LEVEL", "error, warning, info or debug",
                           "how much is said on stderr"},
                          &Options::log_level,
                          std::array{Name<LogLevel>{"error", LogLevel::error},
                                     Name<LogLevel>{"warning", LogLevel::warning},
                                     Name<LogLevel>{"info", LogLevel::info},
                                     Name<LogLevel>{"debug", LogLevel::debug}}));
    return rows;
  }();
  return table;
}

}  // namespace deepinfer
