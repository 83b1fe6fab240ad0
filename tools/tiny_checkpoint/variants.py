"""The configurations of the test checkpoints, each chosen for branches that the others miss."""

from tiny_checkpoint.engram import compressed_vocab_size, engram_primes
from tiny_checkpoint.tokenizer import build_tokenizer


def base_text(**changes):
    """The text_config of t41 with some fields changed."""
    config = dict(
        model_type='deepseek_v41_text',
        vocab_size=640,
        hidden_size=96,
        moe_intermediate_size=64,
        num_hidden_layers=10,
        num_attention_heads=4,
        num_key_value_heads=1,
        head_dim=64,
        qk_rope_head_dim=16,
        q_lora_rank=64,
        o_lora_rank=48,
        o_groups=2,
        hidden_act='silu',
        swiglu_limit=2.5,
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
            rope_type='yarn',
            factor=16,
            beta_fast=32,
            beta_slow=1,
            original_max_position_embeddings=256,
        ),
        n_routed_experts=16,
        n_shared_experts=1,
        num_experts_per_tok=3,
        scoring_func='sqrtsoftplus',
        topk_method='noaux_tc',
        norm_topk_prob=True,
        routed_scaling_factor=1.5,
        sliding_window=8,
        compress_ratios=[0, 0, 2, 2, 2, 2, 1, 1, 1, 1],
        kv_source_layer_ids=[2, 5, 6],
        index_source_layer_ids=[2, 4, 5, 6, 8],
        index_n_heads=8,
        index_head_dim=32,
        index_topk=8,
        candidate_source_layer_id=6,
        candidate_topk_blocks=4,
        candidate_block_size=4,
        hc_mult=4,
        hc_sinkhorn_iters=20,
        hc_eps=1e-6,
        engram_layer_ids=[1, 5],
        engram_num_embeddings=None,
        engram_max_ngram_size=4,
        engram_vocab_size=101,
        engram_n_heads=2,
        engram_head_dim=64,
        engram_pad_token_id=2,
        engram_compressed_vocab_size=None,
        num_nextn_predict_layers=0,
    )
    config.update(changes)
    return config


VARIANTS = {}


VARIANTS['t41'] = dict(seed=41, text=base_text())

VARIANTS['t41-saturated'] = dict(
    seed=41, text=base_text(index_topk=1024, num_experts_per_tok=16, candidate_topk_blocks=1024)
)

VARIANTS['t41-odd'] = dict(
    seed=77,
    text=base_text(
        vocab_size=544,
        hidden_size=160,
        moe_intermediate_size=96,
        num_hidden_layers=3,
        num_attention_heads=6,
        head_dim=96,
        qk_rope_head_dim=24,
        q_lora_rank=96,
        o_lora_rank=32,
        o_groups=3,
        swiglu_limit=10.0,
        rms_norm_eps=1e-6,
        rope_theta=5000,
        compress_rope_theta=40000,
        rope_scaling=None,
        n_routed_experts=10,
        num_experts_per_tok=4,
        scoring_func='sigmoid',
        routed_scaling_factor=2.0,
        sliding_window=5,
        compress_ratios=[1, 1, 1],
        kv_source_layer_ids=[0],
        index_source_layer_ids=[0, 2],
        index_n_heads=6,
        index_head_dim=64,
        index_topk=6,
        candidate_source_layer_id=-1,
        hc_mult=2,
        hc_sinkhorn_iters=7,
        hc_eps=1e-5,
        engram_layer_ids=[],
        engram_num_embeddings=[],
    ),
)

VARIANTS['t41-draft'] = dict(
    seed=41,
    vision=True,
    text=base_text(
        compress_ratios=[0, 0, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0],
        num_nextn_predict_layers=3,
        dspark_block_size=5,
        dspark_noise_token_id=620,
        dspark_target_layer_ids=[7, 8, 9],
        dspark_markov_rank=32,
        dspark_n_routed_experts=6,
        dspark_num_experts_per_tok=2,
    ),
)

VARIANTS['slice'] = dict(
    seed=5,
    fast=True,
    text=base_text(
        vocab_size=16384,
        hidden_size=5120,
        moe_intermediate_size=2304,
        num_hidden_layers=4,
        num_attention_heads=64,
        head_dim=512,
        qk_rope_head_dim=64,
        q_lora_rank=1280,
        o_lora_rank=1024,
        o_groups=8,
        swiglu_limit=10.0,
        max_position_embeddings=1048576,
        rope_scaling=dict(
            rope_type='yarn',
            factor=16,
            beta_fast=32,
            beta_slow=1,
            original_max_position_embeddings=65536,
        ),
        n_routed_experts=32,
        num_experts_per_tok=6,
        sliding_window=128,
        compress_ratios=[0, 2, 1, 1],
        kv_source_layer_ids=[1, 2],
        index_source_layer_ids=[1, 2],
        index_n_heads=32,
        index_head_dim=128,
        index_topk=512,
        candidate_source_layer_id=2,
        candidate_topk_blocks=2048,
        candidate_block_size=8,
        engram_layer_ids=[1, 2],
        engram_vocab_size=20000,
        engram_n_heads=8,
        engram_head_dim=256,
    ),
)


def make_config(variant):
    """config.json, tokenizer.json and the token ids of a variant."""
    text = dict(variant['text'])
    tokenizer_json, vocab = build_tokenizer(text['vocab_size'])
    id_to_text = {token: text_of for text_of, token in vocab.items()}
    compressed = compressed_vocab_size(id_to_text, text['vocab_size'])
    text['engram_compressed_vocab_size'] = compressed
    if text['engram_layer_ids']:
        primes = engram_primes(
            text['engram_layer_ids'],
            text['engram_max_ngram_size'],
            text['engram_n_heads'],
            text['engram_vocab_size'],
        )
        text['engram_num_embeddings'] = [sum(p) for p in primes]
    vision = (
        dict(
            model_type='deepseek_v41_vision',
            num_hidden_layers=2,
            hidden_size=64,
            num_attention_heads=4,
            intermediate_size=96,
            patch_size=14,
            rope_theta=10000,
            downsample_ratio=3,
            max_image_tokens=1024,
            min_pixels=295936,
            max_wh_ratio=None,
        )
        if variant.get('vision')
        else None
    )
    config = dict(
        architectures=['DeepseekV41ForCausalLM'],
        model_type='deepseek_v41',
        dtype='bfloat16',
        transformers_version='5.6.0',
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
        image_token_id=vocab['<｜deepseek_image｜>'],
        tie_word_embeddings=False,
        quantization_config=dict(
            quant_method='fp8',
            activation_scheme='dynamic',
            weight_block_size=[32, 32],
            scale_fmt='ue8m0',
            expert_dtype='fp4',
        ),
        text_config=text,
        vision_config=vision,
    )
    return config, tokenizer_json, vocab
