// AWS Neuron: libneuronxla 3.x with neuronx-cc. Never run here: all of this is read, not tried.
// "SDK n" below is issue n of aws-neuron/aws-neuron-sdk; "known issues" is the list in that
// repository's release notes of JAX NeuronX 2.26; "NCC_…" is a page of its compiler error codes.

#include "backend/pjrt/facts/device_facts.h"

namespace deepinfer::pjrt {
namespace {

TypeSupport neuron_types() {
  return {
      // Known issues: of the FP8 types only f8E4M3 and f8E5M2. NCC_EVRF051: f8E4M3FN is refused for
      // trn1 and trn2. f8E4M3 codes other numbers from 256 on, so it is no stand-in.
      .f8e4m3fn = false,
      .f4e2m1fn = false,
      // One gather per weight would be one memory access each; shifts and selects are vectors.
      .otherwise = Decoding::arithmetic,
      // NCC_EVRF029: sort is refused for trn2. SDK 1339 (open in 2.31): sort and slice become a
      // top-k over all entries, which fails above 16384.
      .selection = Selection::counting,
      // Known issues: reduce_precision is not supported.
      .reduce_precision = false,
      // SDK 1381 (open): reductions of pred fail with NCC_IBVF038.
      .reduces_flags = false,
      // Of barriers nothing is known.
      .barriers = false,
  };
}

ModuleRules neuron_rules() {
  return {
      .refused_ops =
          {
              // Known issues: no cond, no host callbacks, reduce_precision not supported.
              "stablehlo.case",
              "stablehlo.if",
              "stablehlo.infeed",
              "stablehlo.outfeed",
              "stablehlo.send",
              "stablehlo.recv",
              "stablehlo.reduce_precision",
              // NCC_EVRF029, SDK 1339.
              "stablehlo.sort",
              "chlo.top_k",
              // NCC_EUOC002 and NCC_EVRF001 name an example each.
              "stablehlo.triangular_solve",
              "stablehlo.cholesky",
          },
      // Known issues and NCC_EVRF005, _EVRF051, _ESPP047: other FP8 types; complex numbers.
      // pytorch/xla 8347: the compiler has no 64-bit types, so they are taken for 32-bit ones.
      .refused_types = {"f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E8M0FNU",
                        "f4E2M1FN", "i64", "ui64", "f64", "complex<f32>", "complex<f64>"},
      .sort_directions = {"LT", "LE", "GT", "GE"},  // known issues
      .static_loops = true,                         // known issues: no dynamic while loops
      .single_reductions = true,                    // known issues: no variadic reductions
      .flag_reductions = false,                     // SDK 1381
      .integer_products = false,                    // known issues: no dot of integers
      .byte_shifts = false,                         // NCC_EVRF022: shifts want 32 bits
  };
}

}  // namespace

const DeviceFacts& neuron_facts() {
  static const DeviceFacts facts = {
      .family = "neuron",
      .files = {"libneuronpjrt", "libneuronxla"},
      .platform = "neuron",
      // The plug-in keeps a table per API version and compares sizes of arguments with ==: SDK
      // 1095. This variable chooses the table and is read when the plug-in is loaded: zml/zml.
      .environment =
          {{.name = "NEURON_INTERNAL_PJRT_C_API_VERSION",
            .value = EnvironmentVariable::kHeaderVersion,
            .refusal = {},
            .hint = {}},
           // Products and roundings as written: neuronx-cc may take f32 for bf16, and
           // round at random (zml/zml; neuron-envvars.rst of aws-neuron-sdk).
           {.name = "NEURON_CC_FLAGS", .value = "--auto-cast=none", .refusal = {}, .hint = {}},
           {.name = "NEURON_RT_STOCHASTIC_ROUNDING_EN", .value = "0", .refusal = {}, .hint = {}}},
      .client_options = {},
      .start_hint =
          "neuron-ls must list a device, libnrt.so.1 must be found and neuronx-cc be in "
          "PATH; see docs/neuron.md",
      .types = neuron_types(),
      // The starting document: a uint8 column and an fp32 one of one storage were taken for
      // overlapping.
      .typed_columns_apart = true,
      .narrow_addresses = true,  // pytorch/xla 8347, as above
      // zml/zml pull request 476: a run's event is asked for and destroyed, never awaited.
      .awaits_runs = false,
      .empty_buffers = false,  // SDK 1302 (open)
      // Keyed by graph and flags, a folder per compiler version; failed compiles are kept as well.
      .compiler_cache = "/var/tmp/neuron-compile-cache, or NEURON_COMPILE_CACHE_URL",
      .rules = neuron_rules(),
  };
  return facts;
}

}  // namespace deepinfer::pjrt
