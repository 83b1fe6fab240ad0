# The face for people. Everything here is a short call of a script in scripts/ or of a CMake preset;
# `cmake --preset release && cmake --build --preset release` does the same as `make build`.

PRESET ?= release
PROMPT ?= Alice was beginning to get very tired of
ARGS ?=
FUZZ_SECONDS ?= 60
DIR ?= build/slice

# Handed over in the environment, so that quotes and dollar signs in the prompt stay what they are.
export RUN_PROMPT := $(value PROMPT)
export FUZZ_SECONDS
export DIR

.DEFAULT_GOAL := help
.PHONY: help run build test test-all sanitize fuzz bench bench-graphs slice pjrt format lint clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: ## build what is missing and complete PROMPT="…" with the bundled model; ARGS="…" adds options
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) deepinfer
	@exec build/release/deepinfer run -p "$$RUN_PROMPT" $(ARGS)

build: ## build build/release/deepinfer
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) deepinfer

# A plug-in to test on is worth having but no condition: not every machine reaches the package index.
# NO_PLUGIN=1 does without, which halves the time of a run from nothing.
test: ## build everything and run the fast tests, with the plug-in of `make pjrt` where it can be had
	@scripts/setup.sh build test
	@[ -n "$$NO_PLUGIN" ] || scripts/pjrt.sh || echo "[pjrt] tests that need it are skipped: no plug-in" >&2
	@scripts/build.sh $(PRESET) all
	@scripts/run_tests.sh build/release -L '^fast$$'

test-all: ## build everything and run every test
	@scripts/setup.sh build test
	@[ -n "$$NO_PLUGIN" ] || scripts/pjrt.sh || echo "[pjrt] tests that need it are skipped: no plug-in" >&2
	@scripts/build.sh $(PRESET) all
	@scripts/run_tests.sh build/release

sanitize: ## run the fast tests under ASan and UBSan, then under TSan
	@scripts/setup.sh build test
	@scripts/sanitize.sh asan-ubsan
	@scripts/sanitize.sh tsan

fuzz: ## run every libFuzzer target for FUZZ_SECONDS (60) seconds
	@scripts/setup.sh build fuzz
	@scripts/fuzz.sh

bench: ## run the benchmarks of bench/ (ARGS="…" adds Google Benchmark options)
	@scripts/setup.sh build bench
	@scripts/bench.sh $(ARGS)

bench-graphs: ## what graphs are worth: the table of docs/graphs.md (some minutes, 2 GB in TMPDIR; ARGS=--bundled for a part)
	@scripts/setup.sh build bench
	@scripts/build.sh $(PRESET) bench_graphs -DDEEPINFER_BENCH=ON
	@exec build/release/bench/bench_graphs $(ARGS)

slice: ## write a random model of the released widths into DIR (build/slice), for timings (6.8 GB, seconds)
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) write_slice
	@exec build/release/write_slice "$$DIR"

pjrt: ## fetch the PJRT plug-in for the CPU and its header, and build with them
	@scripts/pjrt.sh
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) deepinfer

format: ## format every C++ file in place
	@scripts/setup.sh lint
	@scripts/format.sh

lint: ## check the format, then clang-tidy over every file
	@scripts/setup.sh build test lint
	@scripts/format.sh --check
	@scripts/lint.sh

clean: ## remove build/
	rm -rf build
