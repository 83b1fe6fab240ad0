"""Number formats and the cache quantisers (model specification 2.7, 4.3, 5.2)."""

import math

import numpy as np

f32, f64 = np.float32, np.float64

# By code; bit 3 is the sign.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], f32)


def _e4m3_value(code):
    exponent, mantissa = (code >> 3) & 15, code & 7
    if code & 0x7F == 0x7F:
        return math.nan
    value = mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
    return -value if code & 0x80 else value


E4M3 = np.array([_e4m3_value(code) for code in range(256)], f32)
with np.errstate(over='ignore'):
    E8M0 = np.ldexp(1.0, np.arange(256) - 127)  # fp64: 2^-127 is subnormal in fp32
E8M0[255] = np.nan

# The fp32 constants that the official kernels multiply with instead of dividing.
ONE_BY_448 = np.uint32(0x3B124925).view(f32)
ONE_BY_6 = np.uint32(0x3E2AAAAB).view(f32)


def round_bf16(values):
    """Rounds fp32 values to bfloat16, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, f32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) & 0xFFFF0000).astype(np.uint32).view(f32)
    return np.where(np.isnan(values), values, rounded).astype(f32)


def _nearest_code(magnitudes, grid):
    """The index of the nearest grid entry, ties to the even index (2.7.4)."""
    middles = (grid[1:].astype(f64) + grid[:-1]) / 2
    magnitudes = magnitudes.astype(f64)
    below = np.searchsorted(middles, magnitudes, 'left')
    above = np.searchsorted(middles, magnitudes, 'right')
    return np.where((below == above) | (below % 2 == 0), below, above).astype(np.uint8)


def to_e4m3(values):
    """Codes, saturating."""
    values = np.asarray(values, f32)
    codes = _nearest_code(np.minimum(np.abs(values), f32(448)), E4M3[:127])
    return codes | (np.signbit(values).astype(np.uint8) << 7)


def to_e2m1(values):
    """Codes, saturating."""
    values = np.asarray(values, f32)
    codes = _nearest_code(np.minimum(np.abs(values), f32(6)), E2M1[:8])
    return codes | (np.signbit(values).astype(np.uint8) << 3)


def power_of_two_ceil_exponent(values):
    bits = np.asarray(values, f32).view(np.uint32)
    return ((bits >> 23) & 255).astype(np.int32) - 127 + ((bits & 0x7FFFFF) != 0)


def _blocks(values, size):
    values = np.asarray(values, f32)
    return values.reshape(*values.shape[:-1], values.shape[-1] // size, size)


def _quantise_power_of_two(values, floor, inverse_range, encode, table):
    blocks = _blocks(values, 32)
    largest = np.maximum(np.abs(blocks).max(-1), floor)
    exponents = power_of_two_ceil_exponent((largest * inverse_range).astype(f32))
    scales = np.ldexp(f32(1), exponents).astype(f32)[..., None]
    codes = encode((blocks / scales).astype(f32))
    shape = np.shape(values)
    decoded = (table[codes] * scales).astype(f32).reshape(shape)
    return codes.reshape(shape), (exponents + 127).astype(np.uint8), decoded


def quantise_q8(values):
    """FP8 with a power-of-two scale per 32: codes, E8M0 scales, decoded values (2.7.1)."""
    return _quantise_power_of_two(values, f32(1e-4), ONE_BY_448, to_e4m3, E4M3)


def quantise_q4u(values):
    """FP4 with a power-of-two scale per 32: codes, E8M0 scales, decoded values (2.7.2)."""
    return _quantise_power_of_two(values, f32(6 * 2.0**-126), ONE_BY_6, to_e2m1, E2M1)


def quantise_q4e(values):
    """FP4 with an E4M3 scale per 16: codes, scale codes, decoded values (2.7.3)."""
    blocks = _blocks(values, 16)
    largest = np.maximum(np.abs(blocks).max(-1), f32(6 * 2.0**-9))
    scale_codes = to_e4m3((largest / f32(6)).astype(f32))
    scales = E4M3[scale_codes][..., None]
    codes = to_e2m1((blocks / scales).astype(f32))
    shape = np.shape(values)
    return codes.reshape(shape), scale_codes, (E2M1[codes] * scales).astype(f32).reshape(shape)


def pack_nibbles(codes):
    return (codes[..., 0::2] | (codes[..., 1::2] << 4)).astype(np.uint8)


def window_record(values):
    """The bytes of a window entry in the cache (5.2)."""
    codes, scales, _ = quantise_q8(values)
    return np.concatenate([codes, scales], -1)


def compressed_record(values):
    codes, scales, _ = quantise_q4e(values)
    return np.concatenate([pack_nibbles(codes), scales], -1)


def index_key_record(values):
    codes, scales, _ = quantise_q4u(values)
    return np.concatenate([pack_nibbles(codes), scales], -1)
