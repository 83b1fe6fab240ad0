"""Writes a checkpoint directory: shards, index, config and tokenizer files."""

import json
import struct

import numpy as np

from tiny_checkpoint.tensor_list import (
    DTYPE_BYTES,
    TINY_GAINS,
    UNIT_GAINS,
    stored_tensors,
    tensor_specs,
)
from tiny_checkpoint.tokenizer import HEAD_SPECIAL
from tiny_checkpoint.variants import VARIANTS, make_config
from tiny_checkpoint.weights import FastDraw, draw


def write_checkpoint(variant_name, folder, seed=None):
    """Writes the variant into the folder and returns one line that says what was written."""
    variant = VARIANTS[variant_name]
    seed = variant['seed'] if seed is None else seed
    fast = variant.get('fast', False)
    folder.mkdir(parents=True, exist_ok=True)
    config, tokenizer_json, _ = make_config(variant)

    shards = {}
    for spec in tensor_specs(config, UNIT_GAINS if fast else TINY_GAINS):
        shards.setdefault(spec.shard, []).append(spec)
    draw_tensor = FastDraw(seed) if fast else draw
    file_of, total_bytes = {}, 0
    for number, specs in enumerate(shards.values(), start=1):
        name = f'model-{number:05d}-of-{len(shards):05d}.safetensors'
        header, shard_bytes = _header(specs)
        _write_shard(folder / name, header, specs, seed, draw_tensor)
        file_of.update((tensor, name) for tensor in header if tensor != '__metadata__')
        total_bytes += shard_bytes

    index = dict(metadata=dict(total_size=total_bytes), weight_map=file_of)
    _write_json(folder / 'model.safetensors.index.json', index, indent=1)
    _write_json(folder / 'config.json', config, indent=2)
    _write_json(folder / 'tokenizer.json', tokenizer_json)
    _write_json(folder / 'tokenizer_config.json', _tokenizer_config(config), indent=2)
    generation = dict(bos_token_id=0, eos_token_id=1, do_sample=True, temperature=1.0, top_p=1.0)
    _write_json(folder / 'generation_config.json', generation, indent=2)
    line = f'{variant_name} {len(file_of)} tensors {total_bytes} bytes'
    (folder / 'READY').write_text(line + '\n', encoding='utf-8')
    return line


def _header(specs):
    """The safetensors header of a shard, and the number of data bytes after it."""
    header, offset = {'__metadata__': {'format': 'pt'}}, 0
    for spec in specs:
        for name, dtype, shape in stored_tensors(spec):
            end = offset + int(np.prod(shape)) * DTYPE_BYTES[dtype]
            header[name] = dict(dtype=dtype, shape=list(shape), data_offsets=[offset, end])
            offset = end
    return header, offset


def _write_shard(path, header, specs, seed, draw_tensor):
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    part = path.with_name(path.name + '.tmp')
    with open(part, 'wb', buffering=1 << 20) as file:
        file.write(struct.pack('<Q', len(text)))
        file.write(text)
        for spec in specs:
            for array, (name, dtype, shape) in zip(draw_tensor(seed, spec), stored_tensors(spec)):
                expected = int(np.prod(shape)) * DTYPE_BYTES[dtype]
                assert array.nbytes == expected, (name, array.nbytes, expected)
                file.write(np.ascontiguousarray(array).data)
    part.replace(path)


def _write_json(path, value, **options):
    path.write_text(json.dumps(value, ensure_ascii=False, **options), encoding='utf-8')


def _tokenizer_config(config):
    return dict(
        add_bos_token=False,
        add_eos_token=False,
        bos_token=HEAD_SPECIAL[0],
        eos_token=HEAD_SPECIAL[1],
        pad_token=HEAD_SPECIAL[2],
        model_max_length=config['text_config']['max_position_embeddings'],
        tokenizer_class='PreTrainedTokenizerFast',
    )
