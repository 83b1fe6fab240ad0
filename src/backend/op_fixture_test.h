#pragma once

// A harness for testing one op: it owns the op's given values (metadata, weights, cache views),
// builds a graph of the one op and runs it on any backend, eager or whole.
//
//   OpFixture f;
//   const auto x = f.activation("x", {3, 64});                       // random, same in every run
//   const auto w = f.weight("w", WeightFormat::fp8, {40, 64});
//   const OpRun run = f.run(backend, Linear{.quantise_input = true}, {x, w});
//   expect run.f32() ...
//
// Every run starts from the given bytes: an op that writes a cache view changes the copy in its
// OpRun, so that two backends can be compared over one fixture. keep() makes a run's view contents
// the given ones, for ops with state across steps. Not thread-safe.

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "graph/graph_builder.h"

namespace deepinfer {

/// A given value of an OpFixture.
struct Given {
  std::size_t index = 0;
};

/// What a run left behind: the op's results and the contents of the views it was given.
class OpRun {
 public:
  std::vector<float> f32(std::size_t result = 0) const { return copy<float>(results_.at(result)); }
  std::vector<std::int32_t> i32(std::size_t result = 0) const {
    return copy<std::int32_t>(results_.at(result));
  }
  const std::vector<std::byte>& bytes(std::size_t result = 0) const { return results_.at(result); }
  std::size_t results() const { return results_.size(); }

  /// Contents of a view or of derived metadata after the run, rows joined without gaps.
  template <typename T>
  std::vector<T> view(Given view) const {
    return copy<T>(views_.at(view.index));
  }

 private:
  friend class OpFixture;

  template <typename T>
  static std::vector<T> copy(const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

  std::vector<std::vector<std::byte>> results_;
  std::map<std::size_t, std::vector<std::byte>> views_;  // by Given::index
};

class OpFixture : public Bindings {
 public:
  /// `seed` decides all random contents; each value has a generator of its own.
  explicit OpFixture(std::uint64_t seed = 1) : seed_(seed) {}

  // ---- activations and metadata buffers; names must differ

  Given activation(std::string_view name, const Shape& shape, const std::vector<float>& values);
  /// Normally distributed about 0 with deviation 1, exact in bf16 (so that it is a legal input of
  /// both numerics).
  Given activation(std::string_view name, const Shape& shape);
  Given integers(std::string_view name, const Shape& shape,
                 const std::vector<std::int32_t>& values);
  Given bytes(std::string_view name, const Shape& shape, const std::vector<std::uint8_t>& values);

  /// Derived metadata that the op writes; before the run every entry is -1.
  Given derived(std::string_view name, const Shape& shape);

  // ---- weights

  /// Random codes and scales without NaN, of rms about 1/sqrt(in). Rank 3: a bank of experts.
  /// Plain weights are bf16.
  Given weight(std::string_view name, WeightFormat format, const Shape& shape);
  /// A plain weight (rank 3: a bank) with these values, encoded as `dtype` (bf16, f16 or f32).
  Given plain_weight(std::string_view name, const Shape& shape, const std::vector<float>& values,
                     DType dtype = DType::f32);
  /// A quantised weight (rank 3: a bank, expert by expert) as it lies in a checkpoint.
  Given coded_weight(std::string_view name, WeightFormat format, const Shape& shape,
                     const std::vector<std::uint8_t>& codes,
                     const std::vector<std::uint8_t>& scales);
  /// The weight's elements, dequantised, row-major.
  std::vector<float> values(Given weight) const;

  // ---- cache views: rows of a root of their own, with gaps of poison before and between them

  Given view(std::string_view name, DType dtype, const Shape& shape,
             const std::vector<std::byte>& contents = {});
  template <typename T>
  Given view(std::string_view name, DType dtype, const Shape& shape,
             const std::vector<T>& contents) {
    return view(name, dtype, shape, to_bytes(contents));
  }

  // ---- replacing contents between runs (sizes must not change)

  template <typename T>
  void set(Given given, const std::vector<T>& contents) {
    set_bytes(given, to_bytes(contents));
  }
  /// Makes what `run` left in the views their given contents.
  void keep(const OpRun& run);

  // ---- running

  OpRun run(Backend& backend, const Op& op, const std::vector<Given>& operands,
            GraphMode mode = GraphMode::whole);
  /// The same with the op's in-place operand first copied into the arena, so that the planner lets
  /// the result take over its storage.
  OpRun run_in_place(Backend& backend, const Op& op, const std::vector<Given>& operands);

  // ---- for graphs of several ops

  /// Declares the value in `builder`, once per graph (a second call gives the same id).
  ValueId declare(GraphBuilder& builder, Given given);
  /// Forgets what was declared: call before building another graph.
  void begin_graph();
  /// Puts the given contents into what graphs are bound to: call before compile(), not after.
  void reset_memory();

  std::byte* storage(const Value& value) const override;
  std::vector<WeightRef> weights(const Value& value) const override;

 private:
  struct Tensor {  // one checkpoint tensor
    std::vector<std::byte> data;
    std::vector<std::uint8_t> scales;
    Shape shape;
  };
  struct Entry {
    std::string name = {};
    ValueKind kind = ValueKind::metadata;
    DType dtype = DType::f32;
    Shape shape = {};
    WeightFormat format = WeightFormat::plain;
    std::vector<std::byte> contents = {};        // metadata; views without gaps
    bool derived = false;                        // metadata
    std::vector<Tensor> tensors = {};            // weights
    mutable std::vector<std::byte> memory = {};  // what a run works on: metadata and roots
    ViewRecipe recipe = {};                      // views
    ValueId id = -1;                             // in the graph being built
  };

  template <typename T>
  static std::vector<std::byte> to_bytes(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

  Given add(Entry entry);
  void set_bytes(Given given, std::vector<std::byte> contents);
  std::mt19937_64 generator(std::string_view name) const;
  Tensor random_tensor(std::mt19937_64& random, WeightFormat format, const Shape& shape) const;
  OpRun run_graph(Backend& backend, const Op& op, const std::vector<Given>& operands,
                  GraphMode mode, bool in_place);
  ValueId copied(GraphBuilder& builder, ValueId value);
  std::vector<std::byte> view_contents(const Entry& entry) const;
  const Entry& find(std::string_view name) const;

  std::uint64_t seed_;
  std::vector<Entry> entries_;
};

}  // namespace deepinfer
