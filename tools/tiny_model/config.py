"""Shape of the model and the folders of a run."""

import os

# Corpus, tokenizer, training state and the exported checkpoint of a run.
WORK = os.environ.get("TINY_MODEL_WORK", "build/tiny_model")

EXPORT_FOLDER = os.path.join(WORK, "DeepInfer-V4.1-tiny")

EPS = 1e-20

CONFIG = dict(
    vocab_size=3072,
    hidden_size=192,
    moe_intermediate_size=96,
    num_hidden_layers=7,
    num_attention_heads=4,
    num_key_value_heads=1,
    head_dim=64,
    qk_rope_head_dim=32,
    q_lora_rank=96,
    o_lora_rank=64,
    o_groups=2,
    hidden_act="silu",
    swiglu_limit=10.0,
    rms_norm_eps=1e-20,
    attention_bias=False,
    attention_dropout=0.0,
    initializer_range=0.02,
    use_cache=True,
    tie_word_embeddings=False,
    max_position_embeddings=4096,
    rope_theta=10000,
    compress_rope_theta=160000,
    rope_scaling=dict(
        rope_type="yarn", factor=4, beta_fast=32, beta_slow=1, original_max_position_embeddings=1024
    ),
    n_routed_experts=8,
    n_shared_experts=1,
    num_experts_per_tok=2,
    scoring_func="sqrtsoftplus",
    topk_method="noaux_tc",
    norm_topk_prob=True,
    routed_scaling_factor=1.5,
    sliding_window=32,
    compress_ratios=[0, 0, 2, 2, 1, 1, 1],
    kv_source_layer_ids=[2, 4],
    index_source_layer_ids=[2, 4, 5],
    index_n_heads=4,
    index_head_dim=64,
    index_topk=128,
    candidate_source_layer_id=4,
    candidate_topk_blocks=32,
    candidate_block_size=8,
    hc_mult=4,
    hc_sinkhorn_iters=20,
    hc_eps=1e-6,
    engram_layer_ids=[1, 3],
    engram_num_embeddings=None,
    engram_max_ngram_size=4,
    engram_vocab_size=3000,
    engram_n_heads=2,
    engram_head_dim=32,
    engram_pad_token_id=2,
    engram_compressed_vocab_size=None,
)

STREAMS = 4
