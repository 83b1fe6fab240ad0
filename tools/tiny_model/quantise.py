"""Number formats and straight-through quantisers (model specification 2.7)."""

import struct

import torch


def power_of_two_ceil(v):
    m, e = torch.frexp(v)
    return torch.ldexp(torch.ones_like(v), torch.where(m == 0.5, e - 1, e))


def e2m1(v):
    a = v.abs().clamp(max=6)
    st = torch.where(a <= 2, 0.5, torch.where(a <= 4, 1.0, 2.0))
    return torch.copysign(torch.round(a / st) * st, v)


def e4m3(v):
    return v.clamp(-448, 448).to(torch.float8_e4m3fn).float()


C448, C6 = (
    struct.unpack("<f", struct.pack("<I", 0x3B124925))[0],
    struct.unpack("<f", struct.pack("<I", 0x3E2AAAAB))[0],
)


def quantise_q8(x):
    b = x.reshape(*x.shape[:-1], -1, 32)
    s = power_of_two_ceil(b.abs().amax(-1, keepdim=True).clamp(min=1e-4) * C448)
    return (e4m3(b / s) * s).reshape(x.shape)


def quantise_q4u(x):
    b = x.reshape(*x.shape[:-1], -1, 32)
    s = power_of_two_ceil(b.abs().amax(-1, keepdim=True).clamp(min=6 * 2.0**-126) * C6)
    return (e2m1(b / s) * s).reshape(x.shape)


def quantise_q4e(x):
    b = x.reshape(*x.shape[:-1], -1, 16)
    s = e4m3(b.abs().amax(-1, keepdim=True).clamp(min=6 * 2.0**-9) / 6)
    return (e2m1(b / s) * s).reshape(x.shape)


def encode_fp8(w):  # 32x32 tiles; returns codes (float), scale
    o, i = w.shape
    b = w.reshape(o // 32, 32, i // 32, 32)
    s = power_of_two_ceil(b.abs().amax((1, 3)).clamp(min=1e-30) * C448)
    return e4m3(b / s[:, None, :, None]).reshape(o, i), s


def encode_fp8_rows(w):  # engram rows: one scale per row and 32 columns
    b = w.reshape(w.shape[0], -1, 32)
    s = power_of_two_ceil(b.abs().amax(-1).clamp(min=1e-30) * C448)
    return e4m3(b / s[..., None]).reshape(w.shape), s


def encode_fp4(w):
    b = w.reshape(*w.shape[:-1], -1, 32)
    s = power_of_two_ceil(b.abs().amax(-1).clamp(min=1e-30) * C6)
    return e2m1(b / s[..., None]).reshape(w.shape), s


def fake_fp8(w):
    c, s = encode_fp8(w)
    o, i = w.shape
    return (c.reshape(o // 32, 32, i // 32, 32) * s[:, None, :, None]).reshape(o, i)


def fake_rows(w, f):
    c, s = f(w)
    return (c.reshape(*w.shape[:-1], -1, 32) * s[..., None]).reshape(w.shape)


def straight_through(x, q):
    with torch.no_grad():
        d = q(x) - x
    return x + d
