"""Which tensors a checkpoint holds: names, formats, logical shapes and the spread of their values
(model specification 4.2)."""

import dataclasses

# Gains of the branches. The test models use small attention and expert gains: with gains near 1 the
# cache quantisers make the network chaotic (one FP4 or FP8 rounding moved by fp32 noise changes
# every later token by O(1)), and long prompts could not be compared at all.
TINY_GAINS = dict(query=1.0, output=0.1, experts=0.35, shared=0.35, embedding=1.2, engram=0.4)
# The benchmark checkpoint is never compared token by token.
UNIT_GAINS = dict(query=2.0, output=1.6, experts=1.6, shared=1.2, embedding=1.0, engram=1.5)


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """One logical tensor; kind is bf16, f32, fp8, fp4 or engram (FP8 with a scale per row)."""

    shard: str
    name: str
    kind: str
    shape: tuple
    std: float
    mean: float = 0


# Bytes of one stored element by safetensors dtype.
DTYPE_BYTES = {'BF16': 2, 'F32': 4, 'F8_E4M3': 1, 'F8_E8M0': 1, 'I8': 1}


def stored_tensors(spec):
    """The (name, dtype, shape) of every tensor that a logical tensor is stored as."""
    if spec.kind in ('bf16', 'f32'):
        return [(spec.name, spec.kind.upper(), spec.shape)]
    rows, columns = spec.shape
    weight, scale = spec.name + '.weight', spec.name + '.scale'
    if spec.kind == 'fp8':
        scale_shape = (-(-rows // 32), -(-columns // 32))
        return [(weight, 'F8_E4M3', spec.shape), (scale, 'F8_E8M0', scale_shape)]
    if spec.kind == 'fp4':
        return [
            (weight, 'I8', (rows, columns // 2)),
            (scale, 'F8_E8M0', (rows, columns // 32)),
        ]
    assert spec.kind == 'engram', spec.kind
    return [(weight, 'F8_E4M3', spec.shape), (scale, 'F8_E8M0', (rows, columns // 32))]


def tensor_specs(config, gains):
    """Yields every tensor of the model, shard by shard, in the order of writing."""
    text = config['text_config']
    vocab, width = text['vocab_size'], text['hidden_size']
    yield TensorSpec('misc', 'embed.weight', 'bf16', (vocab, width), gains['embedding'])
    yield TensorSpec('misc', 'head.weight', 'bf16', (vocab, width), 3.5 / width**0.5)
    yield TensorSpec('misc', 'norm.weight', 'bf16', (width,), 0.15, 1)
    for layer in range(text['num_hidden_layers']):
        shard, prefix = f'layer{layer}', f'layers.{layer}.'
        yield from _block_specs(config, gains, shard, prefix, text['n_routed_experts'])
        yield from _compressor_specs(text, layer, shard, prefix + 'attn.')
        yield from _indexer_specs(text, layer, shard, prefix + 'attn.')
        yield from _engram_specs(text, gains, layer, shard, prefix + 'engram.')
    yield from _draft_specs(config, gains)
    if config['vision_config']:
        yield from _vision_specs(config['vision_config'], width)


def _block_specs(config, gains, shard, prefix, experts):
    """What every layer has: norms, hyper-connections, attention and experts."""
    text = config['text_config']
    width, inner = text['hidden_size'], text['moe_intermediate_size']
    heads, head_dim, query_rank = (
        text['num_attention_heads'],
        text['head_dim'],
        text['q_lora_rank'],
    )
    groups, output_rank, streams = text['o_groups'], text['o_lora_rank'], text['hc_mult']
    mixes, group_width = (2 + streams) * streams, heads * head_dim // groups
    for branch in ('attn', 'ffn'):
        site = prefix + 'hc_' + branch
        yield TensorSpec(shard, f'{prefix}{branch}_norm.weight', 'bf16', (width,), 0.15, 1)
        yield TensorSpec(
            shard,
            site + '_fn',
            'f32',
            (mixes, streams * width),
            1.2 / (streams * width) ** 0.5,
        )
        yield TensorSpec(shard, site + '_base', 'f32', (mixes,), 0.5)
        yield TensorSpec(shard, site + '_scale', 'f32', (3,), 0.2, 1)

    attn = prefix + 'attn.'
    yield TensorSpec(shard, attn + 'attn_sink', 'f32', (heads,), 1)
    yield TensorSpec(shard, attn + 'q_norm.weight', 'bf16', (query_rank,), 0.15, 1)
    yield TensorSpec(shard, attn + 'kv_norm.weight', 'bf16', (head_dim,), 0.15, 1)
    for name, rows, columns, gain in (
        ('wq_a', query_rank, width, 1),
        ('wq_b', heads * head_dim, query_rank, gains['query']),
        ('wkv', head_dim, width, 1),
        ('wo_a', groups * output_rank, group_width, 1.6),
        ('wo_b', width, groups * output_rank, gains['output']),
    ):
        yield TensorSpec(shard, attn + name, 'fp8', (rows, columns), gain * columns**-0.5)

    ffn = prefix + 'ffn.'
    yield TensorSpec(shard, ffn + 'gate.weight', 'bf16', (experts, width), 2.0 * width**-0.5)
    yield TensorSpec(shard, ffn + 'gate.bias', 'f32', (experts,), 0.3)
    if config['vision_config']:
        yield TensorSpec(shard, ffn + 'gate.bias_vl', 'f32', (experts,), 0.3)
    names = [(f'experts.{expert}.', 'fp4', gains['experts']) for expert in range(experts)]
    for name, kind, down_gain in names + [('shared_experts.', 'fp8', gains['shared'])]:
        for matrix, shape, gain in (
            ('w1', (inner, width), 1.6),
            ('w3', (inner, width), 1.6),
            ('w2', (width, inner), down_gain),
        ):
            yield TensorSpec(shard, ffn + name + matrix, kind, shape, gain * shape[1] ** -0.5)


def _compressor_specs(text, layer, shard, attn):
    if layer not in text['kv_source_layer_ids']:
        return
    width, head_dim = text['hidden_size'], text['head_dim']
    index_dim = text['index_head_dim']
    spread = width**-0.5
    yield TensorSpec(shard, attn + 'compressor.wkv.weight', 'bf16', (head_dim, width), spread)
    if text['compress_ratios'][layer] > 1:
        yield TensorSpec(
            shard,
            attn + 'compressor.wgate.weight',
            'bf16',
            (head_dim, width),
            1.5 * spread,
        )
    yield TensorSpec(shard, attn + 'compressor.norm.weight', 'bf16', (head_dim,), 0.15, 1)
    yield TensorSpec(
        shard, attn + 'indexer.wk.weight', 'bf16', (index_dim, head_dim), head_dim**-0.5
    )
    yield TensorSpec(shard, attn + 'indexer.k_norm.weight', 'bf16', (index_dim,), 0.15, 1)


def _indexer_specs(text, layer, shard, attn):
    if layer not in text['index_source_layer_ids']:
        return
    heads, index_dim = text['index_n_heads'], text['index_head_dim']
    width, query_rank = text['hidden_size'], text['q_lora_rank']
    yield TensorSpec(
        shard,
        attn + 'indexer.wq_b',
        'fp8',
        (heads * index_dim, query_rank),
        query_rank**-0.5,
    )
    yield TensorSpec(
        shard, attn + 'indexer.weights_proj.weight', 'bf16', (heads, width), width**-0.5
    )


def _engram_specs(text, gains, layer, shard, engram):
    if layer not in text['engram_layer_ids']:
        return
    width, streams, row_width = text['hidden_size'], text['hc_mult'], text['engram_head_dim']
    rows = text['engram_num_embeddings'][text['engram_layer_ids'].index(layer)]
    joined = (text['engram_max_ngram_size'] - 1) * text['engram_n_heads'] * row_width
    yield TensorSpec(f'engram{layer}', engram + 'embed', 'engram', (rows, row_width), 1.0)
    yield TensorSpec(
        shard,
        engram + 'wkv',
        'fp8',
        ((streams + 1) * width, joined),
        gains['engram'] * joined**-0.5,
    )
    yield TensorSpec(shard, engram + 'q_weight', 'bf16', (streams, width), 0.5, 1)
    yield TensorSpec(shard, engram + 'k_weight', 'bf16', (streams, width), 0.5, 1)


def _draft_specs(config, gains):
    """The draft layers (mtp.*), which a plain engine skips."""
    text = config['text_config']
    width, vocab = text['hidden_size'], text['vocab_size']
    layers = text['num_nextn_predict_layers']
    for layer in range(layers):
        shard, prefix = f'mtp{layer}', f'mtp.{layer}.'
        yield from _block_specs(config, gains, shard, prefix, text['dspark_n_routed_experts'])
        if layer == 0:
            joined = width * len(text['dspark_target_layer_ids'])
            yield TensorSpec(shard, prefix + 'main_proj', 'fp8', (width, joined), width**-0.5)
            yield TensorSpec(shard, prefix + 'main_norm.weight', 'bf16', (width,), 0.15, 1)
        if layer == layers - 1:
            rank = text['dspark_markov_rank']
            yield TensorSpec(shard, prefix + 'norm.weight', 'bf16', (width,), 0.15, 1)
            for name, shape, std in (
                ('markov_head.embed.weight', (vocab, rank), 1),
                ('markov_head.head.weight', (vocab, rank), rank**-0.5),
                ('confidence_head.proj.weight', (1, width + rank), width**-0.5),
            ):
                yield TensorSpec(shard, prefix + name, 'bf16', shape, std)


def _vision_specs(vision, text_width):
    width, inner, patch = vision['hidden_size'], vision['intermediate_size'], vision['patch_size']
    embed = 'vision.patch_embed.proj.'
    yield TensorSpec('vision', embed + 'weight', 'bf16', (width, 3, patch, patch), 0.02)
    yield TensorSpec('vision', embed + 'bias', 'bf16', (width,), 0.02)
    yield TensorSpec('vision', 'vision.norm.weight', 'bf16', (width,), 0.1, 1)
    for block in range(vision['num_hidden_layers']):
        for name, shape in (
            ('attn.wqkv.weight', (3 * width, width)),
            ('attn.wqkv.bias', (3 * width,)),
            ('attn.wo.weight', (width, width)),
            ('attn.wo.bias', (width,)),
            ('mlp.w1.weight', (2 * inner, width)),
            ('mlp.w2.weight', (width, inner)),
            ('norm1.weight', (width,)),
            ('norm2.weight', (width,)),
        ):
            yield TensorSpec('vision', f'vision.blocks.{block}.{name}', 'bf16', shape, 0.1)
    for name, shape in (
        ('aligner.w1.weight', (text_width, width * 9)),
        ('aligner.w1.bias', (text_width,)),
        ('aligner.w2.weight', (text_width, text_width)),
        ('aligner.w2.bias', (text_width,)),
        ('image_start', (text_width,)),
        ('image_end', (text_width,)),
        ('image_newline', (text_width,)),
    ):
        yield TensorSpec('vision', name, 'bf16', shape, 0.1)
