"""The model's ops, one function each. Values come as fp32, are computed in fp64 and rounded once to
fp32, so that a result hardly depends on the order of a sum (model specification 2)."""

import math

import numpy as np

from reference.number_formats import f32, f64


def matmul(values, weight):
    """values @ weight.T"""
    return (np.asarray(values, f64) @ np.asarray(weight, f64).T).astype(f32)


def sigmoid(values):
    return 1 / (1 + np.exp(-np.asarray(values, f64)))


def rope_frequencies(rope_dim, base, scaling=None):
    """Angle per position of every channel pair, with YaRN where the config asks for it (2.8)."""
    channels = np.arange(0, rope_dim, 2, dtype=f32)
    powers = np.power(f32(base), (channels / f32(rope_dim)).astype(f32)).astype(f32)
    frequencies = (f32(1) / powers).astype(f32)
    if not scaling or scaling.get('rope_type', scaling.get('type')) != 'yarn':
        return frequencies

    original = scaling['original_max_position_embeddings']

    def correction(rotations):
        return rope_dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low = max(math.floor(correction(scaling['beta_fast'])), 0)
    high = min(math.ceil(correction(scaling['beta_slow'])), rope_dim - 1)
    pairs = np.arange(rope_dim // 2, dtype=f32)
    ramp = np.clip((pairs - f32(low)) / f32(max(high - low, 0.001)), 0, 1).astype(f32)
    kept = (f32(1) - ramp).astype(f32)
    slowed = frequencies / f32(scaling['factor'])
    return (slowed * (f32(1) - kept) + frequencies * kept).astype(f32)


def rope_cos_sin(positions, frequencies):
    """(cos, sin) [rows, rope_dim / 2]; the angle is rounded to fp32 first."""
    angles = (np.asarray(positions).astype(f32)[:, None] * frequencies[None]).astype(f32)
    return np.cos(angles.astype(f64)).astype(f32), np.sin(angles.astype(f64)).astype(f32)


def rotate(values, cos_sin, rope_dim, inverse=False):
    """Rotates adjacent pairs of the last rope_dim channels of values [rows, ..., channels]."""
    shape = (values.shape[0], *([1] * (values.ndim - 2)), rope_dim // 2)
    cos, sin = (np.asarray(part, f64).reshape(shape) for part in cos_sin)
    if inverse:
        sin = -sin
    rotated = np.array(values, f32)
    start = values.shape[-1] - rope_dim
    even, odd = values[..., start::2].astype(f64), values[..., start + 1 :: 2].astype(f64)
    rotated[..., start::2] = (even * cos - odd * sin).astype(f32)
    rotated[..., start + 1 :: 2] = (even * sin + odd * cos).astype(f32)
    return rotated


def rms_norm(values, weight, eps):
    values = np.asarray(values, f64)
    scale = np.sqrt((values * values).mean(-1, keepdims=True) + eps)
    return (weight.astype(f64) * (values / scale)).astype(f32)


def hyper_connection_split(mixes, scale, base, streams, iterations, eps):
    """Weights before a branch [rows, streams], after it [rows, streams], and between the streams
    [rows, streams, streams], made doubly stochastic by alternate normalisation (2.4)."""
    mixes, scale, base = (np.asarray(part, f64) for part in (mixes, scale, base))
    after = slice(streams, 2 * streams)
    between = slice(2 * streams, None)
    pre = sigmoid(mixes[:, :streams] * scale[0] + base[:streams]) + eps
    post = 2 * sigmoid(mixes[:, after] * scale[1] + base[after])
    comb = (mixes[:, between] * scale[2] + base[between]).reshape(-1, streams, streams)
    comb = np.exp(comb - comb.max(2, keepdims=True))
    comb = comb / comb.sum(2, keepdims=True) + eps
    comb = comb / (comb.sum(1, keepdims=True) + eps)
    for _ in range(iterations - 1):
        comb = comb / (comb.sum(2, keepdims=True) + eps)
        comb = comb / (comb.sum(1, keepdims=True) + eps)
    return pre.astype(f32), post.astype(f32), comb.astype(f32)


def hyper_connection_mixes(residual, projection, rms_eps):
    """The projected, normalised residual streams [rows, mixes] that the split starts from."""
    joined = residual.reshape(residual.shape[0], -1).astype(f64)
    inverse_rms = 1 / np.sqrt((joined * joined).mean(1) + rms_eps)
    return (joined @ projection.astype(f64).T) * inverse_rms[:, None]


def collapse(residual, weights):
    """Residual streams [rows, streams, width] to one input [rows, width]."""
    return np.einsum('ts,tsd->td', weights.astype(f64), residual.astype(f64)).astype(f32)


def expand(output, residual, post, comb):
    """A branch's output back into the streams."""
    mixed = np.einsum('tjk,tjd->tkd', comb.astype(f64), residual.astype(f64))
    return (post.astype(f64)[:, :, None] * output.astype(f64)[:, None] + mixed).astype(f32)


def top_k(scores, count):
    """Indices of the largest scores of each row: higher first, then the lower index."""
    return np.argsort(-scores, axis=-1, kind='stable')[..., :count]


def route(logits, bias, count, scoring, normalise, scale):
    """Chosen experts and their weights [rows, count] (2.10)."""
    logits = logits.astype(f64)
    if scoring == 'sqrtsoftplus':
        softplus = np.where(logits > 20, logits, np.log1p(np.exp(np.minimum(logits, 20))))
        scores = np.sqrt(softplus)
    elif scoring == 'sigmoid':
        scores = sigmoid(logits)
    else:
        exponentials = np.exp(logits - logits.max(1, keepdims=True))
        scores = exponentials / exponentials.sum(1, keepdims=True)
    scores = scores.astype(f32)
    experts = top_k((scores + bias.astype(f32)).astype(f32), count)
    weights = np.take_along_axis(scores, experts, 1).astype(f64)
    if normalise and count > 1:
        weights = weights / (weights.sum(1, keepdims=True) + 1e-20)
    return experts, (weights * scale).astype(f32)
