"""The known pitfalls of the model specification (section 7): wrong but plausible models.

Each one is a function that replaces parts of the reference while `patch` holds; the reference
itself knows nothing of them. REASONS lists those that cannot be switched on here, or that a text
through the bundled model does not notice.
"""

import contextlib
import math
from dataclasses import dataclass
from unittest import mock

import numpy as np

from reference import attention, checkpoint, engram_hash, model, ops
from reference.attention import Attention
from reference.checkpoint import Checkpoint
from reference.model import Model
from reference.number_formats import E4M3, f32, f64
from reference.state import State


@dataclass
class Pitfall:
    number: int  # of the specification's table
    name: str
    switch_on: callable  # (patch, text config)
    decoded: int = 0  # only seen in decoding: so many of the last tokens come one at a time


PITFALLS = []
UNROUNDED = []  # cache formats skipped, each alone and all: not of the table

HARDLY = 'moves this text too little'
BY_LOGITS = HARDLY + '; the golden logits of t41 move by more than a tenth'
FEW_CLAMPED = HARDLY + ': few activations of this model reach the limit of 10'
NO_DEAD_TOKEN = 'a text has no dead tokens'
STOPS = 'stops the load'

# (number, name): why it moves nothing or cannot be switched on.
REASONS = {
    (8, 'engram multipliers as doubles'): 'those of this model are exact in a double',
    (11, 'look-back not latched at a dead token'): NO_DEAD_TOKEN,
    (12, 'engram statistics over all streams jointly'): BY_LOGITS,
    (12, 'engram clamp outside the square root'): HARDLY + ': it needs products below 1e-6',
    (12, 'dead gate adds zero'): NO_DEAD_TOKEN,
    (13, 'index keys of the last publisher'): BY_LOGITS,
    (14, 'saturated selection'): 'a property of tests: here more entries are seen than selected',
    (15, 'index keys from rotated latents'): BY_LOGITS,
    (15, 'groups rotated at their last token'): BY_LOGITS,
    (16, 'YaRN on window-only layers'): HARDLY + ': the window is 32 tokens',
    (17, 'YaRN mscale on the softmax scale'): HARDLY + ': the factor is 4',
    (19, 'hyper-connection post with eps'): HARDLY + ': eps is 1e-6',
    (20, 'shared expert not clamped'): FEW_CLAMPED,
    (21, 'routing weight after w2'): 'the same without quantised inputs of w2',
    (22, 'no clamp limit'): FEW_CLAMPED,
    (23, 'router of 256 experts at most'): 'this model has 8',
    (24, 'tensors expected that are not there'): STOPS,
    (25, 'deepseek_v4 taken for this model'): STOPS,
    (26, 'FP4 bytes read as numbers'): 'the reference cannot multiply with half the columns',
    (28, 'decode table read before it is filled'): 'a race on a GPU',
    (29, 'cut between a KV source and its readers'): 'the same answer, slower',
    (30, 'last prompt tokens alone go through all layers'): 'leaves no logits to judge the text by',
    (31, 'pad token id of a missing field'): HARDLY + ': only three tokens look at it',
    (32, 'tiny model right, real model wrong'): 'no single mistake',
    (33, 'scales forgotten in memory plans'): 'no arithmetic',
}


def pitfall(number, name, **options):
    def register(switch_on):
        PITFALLS.append(Pitfall(number, name, switch_on, **options))
        return switch_on

    return register


@contextlib.contextmanager
def switched_on(wrong, text):
    """The reference inside is wrong in this way."""
    with contextlib.ExitStack() as stack:

        def patch(owner, name, replacement):
            stack.enter_context(mock.patch.object(owner, name, replacement))

        wrong.switch_on(patch, text)
        yield


def _wrap(patch, owner, name, wrapper):
    """wrapper gets the original and its arguments."""
    original = getattr(owner, name)
    patch(owner, name, lambda *args, **named: wrapper(original, *args, **named))


def _after(patch, owner, name, change):
    """change(self) follows the method."""

    def wrapper(original, self, *args):
        original(self, *args)
        change(self)

    _wrap(patch, owner, name, wrapper)


@pitfall(1, 'RMS norm of every query head')
def _query_norm(patch, text):
    def wrapper(original, self, name, values, *kind):
        output = original(self, name, values, *kind)
        if not name.endswith('attn.wq_b'):
            return output
        heads = output.reshape(len(output), text['num_attention_heads'], -1)
        ones = np.ones(heads.shape[2], f32)
        return self.round(ops.rms_norm(heads, ones, self.eps)).reshape(output.shape)

    _wrap(patch, Model, 'quantised_linear', wrapper)


@pitfall(2, "a site's own pre")
def _own_pre(patch, text):
    def mixes(original, self, *args):
        result = original(self, *args)
        self.own_pre = result[0]
        return result

    _wrap(patch, Model, '_mixes', mixes)
    _wrap(
        patch,
        Model,
        '_collapse',
        lambda original, self, residual, _: original(self, residual, self.own_pre),
    )


@pitfall(3, "the other sub-layer's output folded in")
def _other_output(patch, text):
    last = []

    def wrapper(original, output, *args):
        folded = last.pop() if last else np.zeros_like(output)
        last.append(output)
        return original(folded, *args)

    _wrap(patch, model, 'expand', wrapper)


@pitfall(4, 'scale blocks of 128')
def _blocks_of_128(patch, text):
    def fp8(self, name):
        codes, scales = self._weight_and_scale(name, 'F8_E4M3')
        rows, columns = (np.arange(size) // 128 for size in codes.shape)
        return (E4M3[codes] * scales[rows][:, columns]).astype(f32)

    patch(Checkpoint, 'fp8', fp8)


@pitfall(5, 'engram scales as 32x32 tiles')
def _engram_tiles(patch, text):
    def engram_rows(self, name):
        codes, scales = self._weight_and_scale(name, 'F8_E4M3')
        return (E4M3[codes] * scales[np.arange(len(codes)) // 32].repeat(32, 1)).astype(f32)

    patch(Checkpoint, 'engram_rows', engram_rows)


@pitfall(6, 'FP8 weights without scales')
def _no_scales(patch, text):
    patch(Checkpoint, 'fp8', lambda self, name: E4M3[self._weight_and_scale(name, 'F8_E4M3')[0]])


@pitfall(7, 'scale bytes as numbers')
def _scale_bytes(patch, text):
    patch(checkpoint, 'E8M0', np.arange(256, dtype=f64))


def _change_multipliers(patch, change):
    _wrap(
        patch,
        model,
        'multipliers',
        lambda original, *args: [change(factor) for factor in original(*args)],
    )


@pitfall(8, 'engram multipliers of 32 bits')
def _multipliers_32(patch, text):
    _change_multipliers(patch, lambda factor: factor & engram_hash.MASK32)


@pitfall(8, 'engram multipliers as doubles')
def _multipliers_double(patch, text):
    _change_multipliers(patch, lambda factor: int(float(factor)))


def _change_token_map(patch, normalise):
    """The count stays, as the checks of the config would notice another one."""

    def wrapper(original, *args):
        _, count = original(*args)
        with mock.patch.object(engram_hash, 'normalise', normalise):
            return original(*args)[0], count

    _wrap(patch, model, 'compressed_map', wrapper)


@pitfall(9, 'token map without lower case')
def _case_kept(patch, text):
    _change_token_map(patch, lambda piece: piece.strip(engram_hash.WHITE_SPACE))


@pitfall(10, 'single space stripped')
def _space_stripped(patch, text):
    right = engram_hash.normalise
    _change_token_map(patch, lambda piece: right(piece).strip(engram_hash.WHITE_SPACE))


def _change_engram(patch, joint=False, clamp_outside=False):
    def wrong(self, layer, residual, rows, trace):
        prefix, text = f'layers.{layer}.engram.', self.text
        width, streams = text['hidden_size'], text['hc_mult']
        looked_up = self.weight(prefix + 'embed', 'engram_rows')[rows].reshape(len(rows), -1)
        projected = self.quantised_linear(prefix + 'wkv', looked_up)
        projected = projected.reshape(-1, streams + 1, width).astype(f64)
        key, value, query = projected[:, :streams], projected[:, streams], residual.astype(f64)

        def inverse_rms(values):
            squares = (values * values).mean(2)
            if joint:
                squares = squares.mean(1, keepdims=True)
            return 1 / np.sqrt(squares + self.eps)

        weight = self.weight(prefix + 'q_weight') * self.weight(prefix + 'k_weight')
        dot = (query * weight * key).sum(2) * inverse_rms(query) * inverse_rms(key) * width**-0.5
        if clamp_outside:
            root = np.maximum(np.sqrt(np.abs(dot)), 1e-6)
        else:
            root = np.sqrt(np.maximum(np.abs(dot), 1e-6))
        gate = ops.sigmoid(np.copysign(root, dot))
        return self.round((query + gate[:, :, None] * value[:, None]).astype(f32))

    patch(Model, '_engram', wrong)


@pitfall(12, 'engram statistics over all streams jointly')
def _joint_statistics(patch, text):
    _change_engram(patch, joint=True)


@pitfall(12, 'engram clamp outside the square root')
def _clamp_outside(patch, text):
    _change_engram(patch, clamp_outside=True)


@pitfall(13, 'index keys of the last publisher', decoded=300)
def _last_publisher(patch, text):
    def published(original, self, values, state, trace):
        before = len(state.index_keys.get(self.layer, ()))
        original(self, values, state, trace)
        if len(state.index_keys[self.layer]) > before:
            self.model.published = state.index_keys[self.layer]

    def index(original, self, values, latent, cos_sin, keys, visible, *rest):
        # Where the last publisher has fewer entries, its newest ones are missing.
        last = getattr(self.model, 'published', keys)
        wrong = keys.copy()
        wrong[: len(last)] = last[: len(keys)]
        return original(self, values, latent, cos_sin, wrong, visible, *rest)

    _wrap(patch, Attention, '_compress', published)
    _wrap(patch, Attention, '_index', index)


@pitfall(15, 'index keys from rotated latents')
def _keys_from_rotated(patch, text):
    last = {}

    def cos_sin(original, *args):
        last['cos_sin'] = original(*args)
        return last['cos_sin']

    def linear(original, self, name, values):
        if name.endswith('indexer.wk'):
            values = self.round(ops.rotate(values, last['cos_sin'], text['qk_rope_head_dim']))
        return original(self, name, values)

    _wrap(patch, attention, 'rope_cos_sin', cos_sin)
    _wrap(patch, Model, 'plain_linear', linear)


def _change_group_positions(patch, change):
    compressing = []

    def compress(original, self, *args):
        compressing.append(self.ratio)
        original(self, *args)
        compressing.pop()

    def cos_sin(original, positions, *args):
        return original(change(positions, *compressing) if compressing else positions, *args)

    _wrap(patch, Attention, '_compress', compress)
    _wrap(patch, attention, 'rope_cos_sin', cos_sin)


@pitfall(15, 'groups rotated at their index')
def _rotated_at_index(patch, text):
    _change_group_positions(patch, lambda positions, ratio: positions // ratio)


@pitfall(15, 'groups rotated at their last token')
def _rotated_at_last(patch, text):
    _change_group_positions(patch, lambda positions, ratio: positions + ratio - 1)


def _change_frequencies(patch, choose):
    def change(self):
        self.frequencies = choose(self)

    _after(patch, Attention, '__init__', change)


@pitfall(16, 'the main rope base for all layers')
def _main_base(patch, text):
    _change_frequencies(patch, lambda layer: layer.model.window_frequencies)


@pitfall(16, 'the compressed rope base for all layers')
def _compressed_base(patch, text):
    _change_frequencies(patch, lambda layer: layer.model.compressed_frequencies)


@pitfall(16, 'YaRN on window-only layers')
def _yarn_everywhere(patch, text):
    yarn = ops.rope_frequencies(
        text['qk_rope_head_dim'], text['rope_theta'], text['rope_scaling']
    )
    _change_frequencies(patch, lambda layer: layer.frequencies if layer.ratio else yarn)


@pitfall(17, 'YaRN mscale on the softmax scale')
def _mscale(patch, text):
    mscale = 0.1 * math.log(text['rope_scaling']['factor']) + 1

    def wrapper(original, self, query, lists, sink):
        return original(self, query * f32(mscale**2) if self.ratio else query, lists, sink)

    _wrap(patch, Attention, '_sparse', wrapper)


@pitfall(18, 'half-split rotation')
def _half_split(patch, text):
    def wrapper(original, values, cos_sin, rope_dim, inverse=False):
        start, half = values.shape[-1] - rope_dim, rope_dim // 2
        pairs = np.array(values, f32)
        pairs[..., start::2] = values[..., start : start + half]
        pairs[..., start + 1 :: 2] = values[..., start + half :]
        rotated = original(pairs, cos_sin, rope_dim, inverse)
        result = rotated.copy()
        result[..., start : start + half] = rotated[..., start::2]
        result[..., start + half :] = rotated[..., start + 1 :: 2]
        return result

    _wrap(patch, attention, 'rotate', wrapper)


def _change_post(patch, change):
    def wrapper(original, *args):
        pre, post, comb = original(*args)
        return pre, change(post).astype(f32), comb

    _wrap(patch, model, 'hyper_connection_split', wrapper)


@pitfall(19, 'hyper-connection post with eps')
def _post_eps(patch, text):
    _change_post(patch, lambda post: post + text['hc_eps'])


@pitfall(19, 'hyper-connection post without the factor 2')
def _post_factor(patch, text):
    _change_post(patch, lambda post: post / 2)


@pitfall(19, 'Sinkhorn with the orders swapped')
def _sinkhorn_swapped(patch, text):
    def wrapper(original, mixes, scale, base, streams, iterations, eps):
        pre, post, _ = original(mixes, scale, base, streams, iterations, eps)
        between = slice(2 * streams, None)
        comb = (np.asarray(mixes[:, between], f64) * scale[2] + base[between]).astype(f64)
        comb = comb.reshape(-1, streams, streams)
        comb = np.exp(comb - comb.max(2, keepdims=True))
        comb = comb / comb.sum(2, keepdims=True) + eps
        for _ in range(iterations):
            comb = comb / (comb.sum(1, keepdims=True) + eps)
            comb = comb / (comb.sum(2, keepdims=True) + eps)
        return pre, post, comb.astype(f32)

    _wrap(patch, model, 'hyper_connection_split', wrapper)


def _change_limit(patch, applies):
    def wrapper(original, self, prefix, *args):
        limit, self.text = self.text, {**self.text}
        if applies(prefix):
            self.text['swiglu_limit'] = 0
        output = original(self, prefix, *args)
        self.text = limit
        return output

    _wrap(patch, Model, '_expert', wrapper)


@pitfall(20, 'shared expert not clamped')
def _shared_not_clamped(patch, text):
    _change_limit(patch, lambda prefix: prefix.endswith('shared_experts.'))


@pitfall(21, 'routing weight after w2')
def _weight_after(patch, text):
    def wrapper(original, self, prefix, values, weights, kind):
        output = original(self, prefix, values, None, kind)
        return output if weights is None else output * weights[:, None]

    _wrap(patch, Model, '_expert', wrapper)


@pitfall(22, 'no clamp limit')
def _no_limit(patch, text):
    _change_limit(patch, lambda prefix: True)


@pitfall(27, 'latents quantised before rotation')
def _latent_before_rotation(patch, text):
    right = attention.quantise_q4e
    latents = {}

    def linear(original, self, name, values):
        if name.endswith('indexer.wk'):
            latents['last'] = values
        return original(self, name, values)

    def rotate(original, self, values, *args, **named):
        if values is latents.get('last'):
            values = right(values)[2]
        return original(self, values, *args, **named)

    _wrap(patch, Model, 'plain_linear', linear)
    _wrap(patch, Attention, '_rotate', rotate)
    patch(attention, 'quantise_q4e', lambda values: (None, None, values))


@pitfall(27, 'rope channels unquantised')
def _rope_unquantised(patch, text):
    def wrapper(original, values):
        codes, scales, decoded = original(values)
        start = values.shape[-1] - text['qk_rope_head_dim']
        decoded[..., start:] = values[..., start:]
        return codes, scales, decoded

    for name in ('quantise_q8', 'quantise_q4e'):
        _wrap(patch, attention, name, wrapper)


@pitfall(31, 'pad token id of a missing field')
def _default_pad(patch, text):
    def change(self):
        self.pad = int(self.token_map[0])

    _after(patch, Model, '_prepare_engrams', change)


def _unrounded_window(patch):
    patch(attention, 'quantise_q8', lambda values: (None, None, values))


def _unrounded_compressed(patch):
    patch(attention, 'quantise_q4e', lambda values: (None, None, values))


def _unrounded_keys(patch):
    """Queries of the index are rounded to the same format: those stay."""
    right, compressing = attention.quantise_q4u, []

    def compress(original, self, *args):
        compressing.append(self)
        original(self, *args)
        compressing.pop()

    _wrap(patch, Attention, '_compress', compress)
    patch(
        attention,
        'quantise_q4u',
        lambda values: (None, None, values) if compressing else right(values),
    )


def _skip_rounding(name, *parts):
    def switch_on(patch, text):
        for part in parts:
            part(patch)

    UNROUNDED.append(Pitfall(0, name, switch_on))


_skip_rounding('window entries', _unrounded_window)
_skip_rounding('compressed entries', _unrounded_compressed)
_skip_rounding('index keys', _unrounded_keys)
_skip_rounding('all', _unrounded_window, _unrounded_compressed, _unrounded_keys)


def mean_log_likelihood(folder, mode, tokens, wrong=None, noise=None):
    """Of every token but the first, given those before it. noise: as of Model."""
    folder_text = Checkpoint(folder).config['text_config']
    with switched_on(wrong, folder_text) if wrong else contextlib.nullcontext():
        reference, state, start, logits = Model(folder, mode, noise), State(), 0, []
        decoded = wrong.decoded if wrong else 0
        for rows in [len(tokens) - decoded] + [1] * decoded:
            logits.append(reference.forward(tokens[start : start + rows], state, all_logits=True))
            start += rows
    logits = np.concatenate(logits)[:-1].astype(f64)
    logits -= logits.max(1, keepdims=True)
    chosen = logits[np.arange(len(logits)), tokens[1:]]
    return float((chosen - np.log(np.exp(logits).sum(1))).mean())
