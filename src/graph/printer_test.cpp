#include "graph/printer.h"

#include <gtest/gtest.h>

#include "graph/graph_builder.h"

namespace deepinfer {
namespace {

TEST(Printer, ASmallGraphReadsLikeThis) {
  GraphBuilder graph(2);
  const ValueId x = graph.metadata("x", DType::f32, {2, 64});
  const ValueId root = graph.root("state_buffer", 528);
  ValueId y = -1;
  {
    const GraphBuilder::Scope scope(graph, "layers.0");
    y = graph.add(RmsNorm{.eps = 0.5F, .rounding = Rounding::bf16},
                  {x, graph.weight("layers.0.norm.weight", WeightFormat::plain, {64})}, "norm");
    const GraphBuilder::Scope inner(graph, "attn");
    y = graph.add(Linear{.quantise_input = true, .rounding = Rounding::none},
                  {y, graph.weight("layers.0.attn.wq", WeightFormat::fp8, {32, 64})}, "q");
    graph.add(CacheView{.recipe = {.root = CacheRoot::state,
                                   .offset = 0,
                                   .row_bytes = 528,
                                   .shape = {1, 8, 66},
                                   .dtype = DType::u8}},
              {root}, "swa_cache");
  }
  graph.output("out", graph.add(Scale{.factor = 0.25F}, {y}, "out"));
  EXPECT_EQ(to_text(graph.finish()),
            "graph of 2 rows, 4 ops\n"
            "  metadata $x: f32[2, 64]\n"
            "  root $state_buffer: u8[528]\n"
            "layers.0:\n"
            "  %norm: f32[2, 64] = rms_norm($x, @layers.0.norm.weight: plain[64]) {eps=0.5, "
            "round=bf16}\n"
            "layers.0.attn:\n"
            "  %q: f32[2, 32] = linear(%layers.0.norm, @layers.0.attn.wq: fp8[32, 64]) "
            "{quantise_input=true}\n"
            "  %swa_cache: u8[1, 8, 66] = cache_view($state_buffer) {offset=0, row_bytes=528}\n"
            "model:\n"
            "  %out: f32[2, 32] = scale(%layers.0.attn.q) {factor=0.25}\n"
            "output out = %out\n");
}

}  // namespace
}  // namespace deepinfer
