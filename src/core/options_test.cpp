#include "deepinfer/options.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

using Variables = std::map<std::string, std::string>;

ResolvedOptions resolve(const std::vector<FlagValue>& flags, const Variables& variables = {}) {
  return resolve_options(flags, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::optional<std::string> options_error(const std::vector<FlagValue>& flags,
                                         const Variables& variables = {}) {
  try {
    resolve(flags, variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    return error.what();
  }
  return std::nullopt;
}

const ResolvedOption& origin_of(const ResolvedOptions& resolved, std::string_view flag) {
  for (const ResolvedOption& option : resolved.origin)
    if (option.spec->flag == flag) return option;
  throw std::out_of_range(std::string(flag));
}

/// Per option: a value that is not the default, how it prints, and values just outside the range.
struct Sample {
  std::string value;
  std::string printed;
  std::vector<std::string> refused;
};

const std::map<std::string, Sample>& samples() {
  static const std::map<std::string, Sample> kSamples = {
      {"--model", {"some/dir", "some/dir", {""}}},
      {"--backend", {"reference", "reference", {"", "CPU", "PJRT", "cuda"}}},
      {"--graph-mode", {"regions", "regions", {"", "region", "Whole"}}},
      {"--fullgraph", {"off", "false", {"", "2", "maybe"}}},
      {"--alias-debug", {"on", "true", {"", "2"}}},
      {"--max-batch", {"1024", "1024", {"", "0", "1025", "-1", "4294967297", "8 "}}},
      {"--prefill-bucket", {"4096", "4096", {"0", "4097", "1.5"}}},
      {"--max-context", {"2147483647", "2147483647", {"0", "-1", "2147483648", "4k"}}},
      {"--context-bucket", {"64", "64", {"0", "-1", "2147483648", "none"}}},
      {"--kv-memory", {"1536m", "1536M", {"0", "0G", "-1", "1T", "1.5G", "8589934592G"}}},
      {"--block-tokens", {"4096", "4096", {"0", "1", "63", "4098"}}},
      {"--layout", {"layer_major", "layer_major", {"", "row_major", "by_mode"}}},
      {"--numerics", {"fp32", "fp32", {"", "bf16"}}},
      {"--input-on-device", {"yes", "true", {"", "2"}}},
      {"--threads", {"1024", "1024", {"0", "-1", "1025", "all"}}},
      {"--isa", {"avx2", "avx2", {"", "sse", "AVX2"}}},
      {"--engram", {"disk", "disk", {"", "automatic"}}},
      {"--compile-cache", {"some/folder", "some/folder", {""}}},
      {"--pjrt-plugin", {"some/plugin.so", "some/plugin.so", {""}}},
      {"--pjrt-options", {"a=1,b=text", "a=1,b=text", {""}}},
      {"--compile-backend", {"a=1,b=true", "a=1,b=true", {""}}},
      {"--region-timing", {"on", "true", {"", "2"}}},
      {"--trace-file", {"some/trace.json", "some/trace.json", {""}}},
      {"--trace-steps", {"256", "256", {"0", "257", "-1", "all"}}},
      {"--log-level", {"debug", "debug", {"", "trace"}}},
      {"--seed", {"18446744073709551615", "18446744073709551615", {"-1", "18446744073709551616"}}},
      {"--temperature", {"0.7", "0.7", {"-0.1", "nan", "inf", "1e39", ""}}},
      {"--top-p", {"0.95", "0.95", {"0", "1.01", "-1"}}},
      {"--top-k", {"40", "40", {"-1", "2147483648"}}},
      {"--min-p", {"0.05", "0.05", {"-0.1", "1.01"}}},
      {"--max-tokens", {"7", "7", {"0", "-1", "2147483648"}}},
      {"--stop", {"END", "\"END\"", {""}}},
  };
  return kSamples;
}

TEST(Options, every_row_of_the_table_has_a_sample_and_unique_names) {
  std::set<std::string_view> names;
  for (const OptionSpec& spec : option_table()) {
    EXPECT_EQ(samples().count(std::string(spec.flag)), 1U) << spec.flag;
    EXPECT_TRUE(names.insert(spec.flag).second) << spec.flag;
    for (const std::string_view name : {spec.variable, spec.short_flag})
      EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
    EXPECT_FALSE(spec.values.empty()) << spec.flag;
    EXPECT_FALSE(spec.help.empty()) << spec.flag;
  }
  EXPECT_EQ(option_table().size(), samples().size());
}

TEST(Options, defaults_without_flags_or_variables) {
  const ResolvedOptions resolved = resolve({});
  ASSERT_EQ(resolved.origin.size(), option_table().size());
  for (std::size_t row = 0; row < resolved.origin.size(); ++row) {
    EXPECT_EQ(resolved.origin[row].spec, &option_table()[row]);
    EXPECT_EQ(resolved.origin[row].source, OptionSource::default_value);
  }
  EXPECT_EQ(origin_of(resolved, "--max-batch").value, "16");
  EXPECT_EQ(origin_of(resolved, "--threads").value, "auto");
  EXPECT_EQ(origin_of(resolved, "--kv-memory").value, "auto");
  EXPECT_EQ(origin_of(resolved, "--model").value, "bundled model");
  EXPECT_EQ(origin_of(resolved, "--top-p").value, "1");
}

TEST(Options, the_compile_cache_is_where_the_environment_keeps_caches) {
  const auto value = [](const Variables& variables, const std::vector<FlagValue>& flags = {}) {
    return resolve(flags, variables).options.compile_cache;
  };
  EXPECT_EQ(value({{"HOME", "/her"}}), "/her/.cache/deepinfer/compile");
  EXPECT_EQ(value({{"HOME", "/her"}, {"XDG_CACHE_HOME", "/fast"}}), "/fast/deepinfer/compile");
  EXPECT_EQ(value({{"HOME", "/her"}, {"XDG_CACHE_HOME", "fast"}}), "/her/.cache/deepinfer/compile");
  EXPECT_EQ(value({}), "");
  EXPECT_EQ(value({{"HOME", ""}, {"XDG_CACHE_HOME", ""}}), "");
  EXPECT_EQ(value({{"HOME", "/her"}, {"DEEPINFER_COMPILE_CACHE", "off"}}), "");
  EXPECT_EQ(value({{"HOME", "/her"}}, {{"--compile-cache", "here"}}), "here");
  const ResolvedOptions resolved = resolve({}, {{"HOME", "/her"}});
  EXPECT_EQ(origin_of(resolved, "--compile-cache").value, "/her/.cache/deepinfer/compile");
  EXPECT_EQ(origin_of(resolved, "--compile-cache").source, OptionSource::default_value);
  EXPECT_EQ(Options().compile_cache, "");  // the library keeps nothing unless it is asked to
}

TEST(Options, H13_every_option_takes_effect_or_names_itself) {
  for (const auto& [flag, sample] : samples()) {
    const ResolvedOptions resolved = resolve({{flag, sample.value}});
    const ResolvedOption& option = origin_of(resolved, flag);
    EXPECT_EQ(option.value, sample.printed);
    EXPECT_EQ(option.source, OptionSource::flag);
    EXPECT_NE(option.value, origin_of(resolve({}), flag).value) << flag;

    for (const std::string& value : sample.refused) {
      const auto error = options_error({{flag, value}});
      ASSERT_TRUE(error) << flag << " " << value;
      EXPECT_EQ(error->rfind("[" + flag + "] ", 0), 0U) << *error;
      EXPECT_NE(error->find("got \"" + value + "\""), std::string::npos) << *error;
      EXPECT_NE(error->find("expected " + std::string(option.spec->values)), std::string::npos)
          << *error;
    }
  }
}

TEST(Options, H13_every_variable_does_what_its_flag_does_and_errors_name_it) {
  for (const OptionSpec& spec : option_table()) {
    if (spec.variable.empty()) continue;
    const Sample& sample = samples().at(std::string(spec.flag));
    const std::string name = "DEEPINFER_" + std::string(spec.variable);
    const ResolvedOptions resolved = resolve({}, {{name, sample.value}});
    const ResolvedOption& option = origin_of(resolved, spec.flag);
    EXPECT_EQ(option.value, sample.printed);
    EXPECT_EQ(option.source, OptionSource::environment);
    EXPECT_EQ(option.variable, name);
    for (const std::string& value : sample.refused) {
      const auto error = options_error({}, {{name, value}});
      ASSERT_TRUE(error) << name << " " << value;
      EXPECT_EQ(error->rfind("[" + name + "] ", 0), 0U) << *error;
    }
  }
}

#ifdef DEEPINFER_PJRT
TEST(Options, H13_the_backend_pjrt_is_a_value_of_builds_that_have_it) {
  EXPECT_EQ(resolve({{"--backend", "pjrt"}}).options.backend, BackendKind::pjrt);
}
#else
TEST(Options, H13_values_of_the_interface_that_this_build_lacks_say_so) {
  EXPECT_EQ(*options_error({{"--backend", "pjrt"}}),
            "[--backend] not supported by this build, expected reference or cpu, got \"pjrt\", "
            "run make pjrt and build again");
  EXPECT_EQ(*options_error({}, {{"DEEPINFER_BACKEND", "pjrt"}}),
            "[DEEPINFER_BACKEND] not supported by this build, expected reference or cpu, got "
            "\"pjrt\", run make pjrt and build again");
}
#endif

TEST(Options, a_flag_wins_over_a_variable) {
  const ResolvedOptions resolved =
      resolve({{"--max-batch", "4"}}, {{"DEEPINFER_MAX_BATCH", "8"}, {"DEEPINFER_THREADS", "3"}});
  EXPECT_EQ(resolved.options.max_batch, 4);
  EXPECT_EQ(resolved.options.threads, 3);
  EXPECT_EQ(origin_of(resolved, "--max-batch").source, OptionSource::flag);
  EXPECT_EQ(origin_of(resolved, "--max-batch").variable, "");
}

TEST(Options, the_last_of_a_repeated_flag_wins_and_every_one_is_checked) {
  EXPECT_EQ(resolve({{"--top-k", "4"}, {"--top-k", "9"}}).options.top_k, 9);
  EXPECT_TRUE(options_error({{"--top-k", "x"}, {"--top-k", "9"}}));
}

TEST(Options, stop_collects_its_repeats_in_order) {
  const ResolvedOptions resolved = resolve({{"--stop", "b"}, {"--seed", "1"}, {"--stop", "a\n"}});
  EXPECT_EQ(resolved.options.stop, (std::vector<std::string>{"b", "a\n"}));
  EXPECT_EQ(origin_of(resolved, "--stop").value, "\"b\", \"a\\x0a\"");
}

TEST(Options, short_flags_are_the_same_options) {
  const ResolvedOptions resolved = resolve({{"-m", "dir"}, {"-n", "5"}});
  EXPECT_EQ(resolved.options.model, "dir");
  EXPECT_EQ(resolved.options.max_tokens, 5);
  EXPECT_EQ(options_error({{"-n", "x"}})->rfind("[-n] ", 0), 0U);
}

TEST(Options, the_seeds_spelling_is_an_alias_where_it_existed) {
  const Variables alias = {
      {"DEEPINFER_NEURON_PREFILL_BUCKET", "32"}, {"DEEPINFER_NEURON_GRAPH_MODE", "eager"},
      {"DEEPINFER_NEURON_REGION_TIMING", "1"},   {"DEEPINFER_NEURON_ALIAS_DEBUG", "1"},
      {"DEEPINFER_NEURON_FULLGRAPH", "0"},       {"DEEPINFER_NEURON_COMPILE_BACKEND", "a=1"},
      {"DEEPINFER_NEURON_MAX_BATCH", "2"}};
  const ResolvedOptions resolved = resolve({}, alias);
  EXPECT_EQ(resolved.options.prefill_bucket, 32);
  EXPECT_EQ(resolved.options.graph_mode, GraphMode::eager);
  EXPECT_TRUE(resolved.options.region_timing);
  EXPECT_TRUE(resolved.options.alias_debug);
  EXPECT_FALSE(resolved.options.fullgraph);
  EXPECT_EQ(resolved.options.compile_backend, "a=1");
  EXPECT_EQ(resolved.options.max_batch, Options{}.max_batch);  // the seed had no such variable
  EXPECT_EQ(origin_of(resolved, "--prefill-bucket").variable, "DEEPINFER_NEURON_PREFILL_BUCKET");

  Variables both = alias;
  both["DEEPINFER_PREFILL_BUCKET"] = "64";
  EXPECT_EQ(resolve({}, both).options.prefill_bucket, 64);
  EXPECT_EQ(options_error({}, {{"DEEPINFER_NEURON_PREFILL_BUCKET", "0"}})
                ->rfind("[DEEPINFER_NEURON_PREFILL_BUCKET] ", 0),
            0U);
}

TEST(Options, automatic_values_can_be_asked_for) {
  for (const char* flag : {"--threads", "--max-context", "--kv-memory"})
    EXPECT_EQ(origin_of(resolve({{flag, "7"}, {flag, "auto"}}), flag).value, "auto");
  EXPECT_EQ(
      origin_of(resolve({{"--layout", "layer_major"}, {"--layout", "auto"}}), "--layout").value,
      "auto");
}

TEST(Options, unknown_flags_are_refused) {
  for (const char* flag : {"--pjrt", "--max_batch", "max-batch", "-", ""})
    EXPECT_TRUE(options_error({{flag, "1"}})) << flag;
  EXPECT_EQ(options_error({{"--nothing", "true"}})->rfind("[--nothing] unknown option", 0), 0U);
}

TEST(Options, B16_a_seed_above_2_to_the_53_is_exact) {
  EXPECT_EQ(resolve({{"--seed", "9007199254740993"}}).options.seed, 9007199254740993U);
}

}  // namespace
}  // namespace deepinfer
