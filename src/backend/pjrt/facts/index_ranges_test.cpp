#include "backend/pjrt/facts/index_ranges.h"

#include <gtest/gtest.h>

#include <array>

#include "backend/pjrt/facts/interval.h"
#include "backend/pjrt/stablehlo/module_writer.h"

namespace deepinfer::pjrt {
namespace {

/// A writer with a table of 10 rows, a root of 6 rows of 100 bytes, and indices from outside.
struct IndexedModule {
  ModuleWriter w = ModuleWriter("m");
  Val table = w.param("table", Element::f32, {10, 4});
  Val root = w.param("root", Element::ui8, {6, 100});
  Val index = w.param("index", Element::i32, {3});
  Val offset = w.param("offset", Element::i32, {});

  std::string faults(const Val& result, const std::map<std::string, Interval>& bounds = {}) {
    const std::array<Val, 1> results = {result};
    std::string text;
    for (const Violation& fault : check_indices(w.finish(results), bounds))
      text += (text.empty() ? "" : "\n") + fault.what;
    return text;
  }
  Val clamped(std::int64_t count) {
    return w.min(w.max(index, 0.0), static_cast<double>(count - 1));
  }
  /// Row and byte of every index.
  Val starts(const Val& row, const Val& byte) {
    const std::array<Val, 2> parts = {w.reshape(row, {3, 1}), w.reshape(byte, {3, 1})};
    return w.concatenate(parts, 1);
  }
};

TEST(IndexRanges, AClampedIndexStaysInside) {
  IndexedModule m;
  EXPECT_EQ(m.faults(m.w.gather_rows(m.table, m.clamped(10))), "");
}

TEST(IndexRanges, AnIndexFromOutsideMayLeave) {
  IndexedModule m;
  EXPECT_EQ(m.faults(m.w.gather_rows(m.table, m.index)),
            "gather may leave axis 0 at -2147483648..2147483647, allowed are 0..9");
}

TEST(IndexRanges, OneTooManyIsOneTooMany) {
  IndexedModule m;
  EXPECT_EQ(m.faults(m.w.gather_rows(m.table, m.clamped(11))),
            "gather may leave axis 0 at 0..10, allowed are 0..9");
}

TEST(IndexRanges, CodesOfAByteIndexATableOf256) {
  IndexedModule m;
  const Val codes = m.w.convert(m.w.slice_axis(m.root, 0, 0, 1), Element::i32);
  const Val values = m.w.table(std::vector<float>(256));
  EXPECT_EQ(m.faults(m.w.gather_rows(values, codes)), "");
  IndexedModule small;
  const Val too_few = small.w.table(std::vector<float>(255));
  EXPECT_NE(small.faults(small.w.gather_rows(
                too_few, small.w.convert(small.w.slice_axis(small.root, 0, 0, 1), Element::i32))),
            "");
}

TEST(IndexRanges, WindowsAreBoundedByColumns) {
  IndexedModule m;
  const Val byte = m.w.add(m.w.mul(m.clamped(3), 20.0), m.offset);
  const Val windows = m.w.gather_windows(m.root, m.starts(m.clamped(6), byte), 20);
  // 0..40 and the offset; a window has 20 bytes of 100.
  EXPECT_EQ(m.faults(windows, {{"offset", {0, 40}}}), "");
  IndexedModule wide;
  const Val at = wide.w.add(wide.w.mul(wide.clamped(3), 20.0), wide.offset);
  EXPECT_EQ(wide.faults(wide.w.gather_windows(wide.root, wide.starts(wide.clamped(6), at), 20),
                        {{"offset", {0, 41}}}),
            "gather may leave axis 1 at 0..81, allowed are 0..80");
}

TEST(IndexRanges, ScattersAreHeldToTheSame) {
  for (const std::int64_t rows : {6, 7}) {
    IndexedModule m;
    const Val records = m.w.constant(Element::ui8, 0, {3, 20});
    const Val order = m.w.binary("remainder", m.clamped(100), 3.0);
    const Val starts =
        m.w.gather_rows(m.starts(m.clamped(rows), m.w.i32(80, {3})), order);  // another order
    EXPECT_EQ(m.faults(m.w.scatter_windows(m.root, starts, records)),
              rows == 6 ? "" : "scatter may leave axis 0 at 0..6, allowed are 0..5");
  }
}

TEST(IndexRanges, CountersOfLoopsEndBelowTheirBound) {
  for (const std::int64_t trips : {5, 6}) {
    IndexedModule m;
    const std::array<Val, 1> zero = {m.w.f32(0, {2, 4})};
    const Val sum = m.w.loop(trips, zero, [&](const Val& i, const std::vector<Val>& carried) {
      return std::vector<Val>{m.w.add(carried[0], m.w.take(m.table, m.w.mul(i, 2.0), 2))};
    })[0];
    EXPECT_EQ(m.faults(sum),
              trips == 5 ? "" : "dynamic_slice may leave axis 0 at 0..10, allowed are 0..8");
  }
}

// Nothing is known of a loop's results but their type, which a clamp bounds as it does a
// parameter's.
TEST(IndexRanges, ResultsOfLoopsAreBoundedByClamps) {
  for (const double highest : {9, 10}) {
    IndexedModule m;
    const std::array<Val, 1> start = {m.w.constant(Element::i32, 3, {2})};
    const Val index = m.w.loop(3, start, [&](const Val&, const std::vector<Val>& carried) {
      return std::vector<Val>{m.w.mul(carried[0], 1000.0)};
    })[0];
    const Val held = m.w.min(m.w.max(index, 0.0), highest);
    EXPECT_EQ(m.faults(m.w.gather_rows(m.table, held)),
              highest == 9 ? "" : "gather may leave axis 0 at 0..10, allowed are 0..9");
  }
}

TEST(IndexRanges, ArithmeticThatWrapsMayGiveAnything) {
  EXPECT_EQ(fitted({0, 255}, "ui8"), (Interval{0, 255}));
  EXPECT_EQ(fitted({0, 256}, "ui8"), (Interval{0, 255}));
  EXPECT_EQ(fitted({-1, 5}, "ui32"), range_of("ui32"));
  EXPECT_EQ(binary("remainder", {0, 1000}, {7, 7}), (Interval{0, 6}));
  EXPECT_EQ(binary("remainder", {-1, 1000}, {7, 7}), kAnything) << "has the dividend's sign";
  EXPECT_EQ(binary("divide", {0, 1000}, {8, 8}), (Interval{0, 125}));
  EXPECT_EQ(binary("multiply", {-3, 2}, {-5, 4}), (Interval{-12, 15}));
  EXPECT_EQ(binary("multiply", kAnything, {4, 4}), kAnything);
}

}  // namespace
}  // namespace deepinfer::pjrt
