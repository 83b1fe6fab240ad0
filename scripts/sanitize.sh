#!/usr/bin/env bash
# Builds one sanitizer preset and runs its fast tests. Tests labelled `no-sanitize` are left out:
# they check sizes or times that mean nothing in such a build.
#
#   scripts/sanitize.sh asan-ubsan|tsan [CTEST_OPTION…]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
scripts/build.sh "$preset" all
export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:${ASAN_OPTIONS:-}"
# The CPU plug-in keeps some hundred bytes of its compiler's.
export LSAN_OPTIONS="suppressions=$PWD/scripts/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}"
# g++ 12's ThreadSanitizer does not start where the kernel randomises addresses by more than 28 bits.
# Left out everywhere: long prompts and texts and whole evals, which run the same code for minutes
# more; golden vectors again in other graph modes and of t41-saturated, and equality on more models and
# backends of a kind (what stays of it runs every mode over poisoned memory); whole models on the scalar
# kernels and same bits on the reference, which have a test per op and would take longer; the tests
# that count allocations by replacing operator new, which a sanitizer has replaced itself, and those
# that compare resident memory with what was taken, to which a sanitizer adds its own.
left_out='LongPrompt(Goldens|Arena)|TextLikelihood|EvaluationCases|t41_saturated|ReplayAllocations'
left_out+='|WatchedAllocations|FirstRequest|ClockIsRead|A19_|ThePeakStaysUntilItIsForgotten'
left_out+='|(ModelGoldens|LayerTrace|CacheRecords|TinyModel).*(eager|regions)|ModelGoldens.*draft'
left_out+='|Equality.*(reference|odd|saturated|bundled)'
left_out+='|CountsTheBundledCases|WhatRunsTheModelDoesNotChangeTheAnswer|SameBits.*reference'
left_out+='|(SameBits|Replay|ArenaPoison|GraphPasses).*scalar|E10_rows.*regions'
# Whole models on the best instruction set of the machine only; every kernel has a test on each.
if grep -qw avx512f /proc/cpuinfo; then
  left_out+='|(SameBits|Replay|ArenaPoison|GraphPasses).*avx2'
fi
if grep -qw amx_bf16 /proc/cpuinfo; then
  left_out+='|(SameBits|Replay|ArenaPoison|GraphPasses).*avx512'
fi
# For races also: the reference backend runs on its caller's thread alone, golden vectors are not
# about threads, scalar kernels share the others' threading at a fifth of the speed, and the rest
# repeats the same steps for minutes. What stays has every kernel, runner and engine on its threads.
if [[ $preset == tsan ]]; then
  left_out+='|eference|Goldens|^Cli|/scalar|CachePaths|EveryChunking|EverySizeAndEvery'
  left_out+='|ArenaSize|ChunkScores|B1_|E10_rows|TypedRoots|ItsJsonReadBack|GraphPasses'
fi
fixed_addresses=()
if [[ $preset == tsan ]] && setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
  fixed_addresses=(setarch "$(uname -m)" --addr-no-randomize)
fi
"${fixed_addresses[@]}" scripts/run_tests.sh "build/$preset" -L '^fast$' -LE '^no-sanitize$' \
  -E "$left_out" "$@"
