#include "runner/weight_binding.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

class WeightBinding : public testing::Test {
 protected:
  std::shared_ptr<const Checkpoint> checkpoint_ = Checkpoint::open("tests/data/t41");

  static Value weight(const std::string& name, WeightFormat format, const Shape& shape) {
    return {.name = name,
            .kind = ValueKind::weight,
            .dtype = DType::f32,
            .shape = shape,
            .format = format,
            .tensor_names = {name}};
  }
  std::string refusal(const Value& value) const {
    try {
      bind_weight(*checkpoint_, value);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(WeightBinding, TensorsAreUsedWhereTheyLie) {
  const auto fp8 =
      bind_weight(*checkpoint_, weight("layers.0.attn.wq_a", WeightFormat::fp8, {64, 96}));
  ASSERT_EQ(fp8.size(), 1U);
  EXPECT_EQ(fp8[0].data, checkpoint_->tensor("layers.0.attn.wq_a.weight").data.data());
  EXPECT_EQ(reinterpret_cast<const std::byte*>(fp8[0].scales),
            checkpoint_->tensor("layers.0.attn.wq_a.scale").data.data());
  const auto plain = bind_weight(*checkpoint_, weight("norm.weight", WeightFormat::plain, {96}));
  EXPECT_EQ(plain[0].data, checkpoint_->tensor("norm.weight").data.data());
  EXPECT_EQ(plain[0].scales, nullptr);
}

TEST_F(WeightBinding, ABankHasOneRefPerExpert) {
  Value bank = weight("experts", WeightFormat::fp4, {2, 64, 96});
  bank.tensor_names = {"layers.0.ffn.experts.3.w1", "layers.0.ffn.experts.7.w1"};
  const auto refs = bind_weight(*checkpoint_, bank);
  ASSERT_EQ(refs.size(), 2U);
  EXPECT_EQ(refs[1].data, checkpoint_->tensor("layers.0.ffn.experts.7.w1.weight").data.data());
  EXPECT_EQ(refs[1].shape, (Shape{64, 96}));
}

TEST_F(WeightBinding, MissingAndMisshapenTensorsAreRefusedByName) {
  EXPECT_NE(refusal(weight("layers.99.norm", WeightFormat::plain, {96})).find("layers.99.norm"),
            std::string::npos);
  const std::string text = refusal(weight("norm.weight", WeightFormat::plain, {97}));
  EXPECT_NE(text.find("tensor 'norm.weight' has the wrong size for the graph"), std::string::npos)
      << text;
  EXPECT_NE(refusal(weight("layers.0.attn.wq_a", WeightFormat::fp4, {64, 96})), "accepted");
}

}  // namespace
}  // namespace deepinfer
