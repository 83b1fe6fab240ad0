#!/usr/bin/env bash
# Runs CTest and ends with one line: `N passed, N failed, N skipped`.
#
#   scripts/run_tests.sh BUILD_DIR [CTEST_OPTION…]
#
# The same three numbers are left in BUILD_DIR/test-counts for whoever adds several runs up. The exit
# status is non-zero when a test failed, when a test could not be started, and when no test ran.
set -uo pipefail
cd "$(dirname "$0")/.."
build_dir=$1
shift

report=$PWD/$build_dir/test-report.xml
rm -f "$report" "$build_dir/test-counts"
ctest --test-dir "$build_dir" -j "${TEST_JOBS:-2}" --output-on-failure --no-tests=error \
  --output-junit "$report" "$@" </dev/null
ctest_status=$?

attribute() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p;t" "$report" | head -1; }
total=0 failed=0 skipped=0
if [[ -f $report ]]; then
  total=$(attribute tests)
  failed=$(attribute failures)
  # CTest files a test whose program is missing under "skipped" too; that one failed.
  skipped=$(grep -c '<skipped message="SKIP_' "$report")
  failed=$((failed + $(attribute skipped) - skipped))
  skipped=$((skipped + $(attribute disabled)))
fi
passed=$((total - failed - skipped))
if ((failed == 0)) && ((ctest_status != 0 || passed == 0)); then
  failed=1
fi
echo "$passed $failed $skipped" >"$build_dir/test-counts"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
