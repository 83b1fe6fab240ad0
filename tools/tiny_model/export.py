"""Writes the trained model in the official on-disk format."""

import json
import os
import shutil
import struct

import torch

from tiny_model.config import CONFIG, EXPORT_FOLDER, WORK
from tiny_model.engram import Engram
from tiny_model.quantise import encode_fp4, encode_fp8, encode_fp8_rows
from tiny_model.tokenizer import load_tokenizer


def tensor_map():
    """model key (without layer) -> [(official name, kind, row slice)]"""
    return {
        "attn_norm": [("attn_norm.weight", "bf16", None)],
        "ffn_norm": [("ffn_norm.weight", "bf16", None)],
        **{
            f"hc_{a}_{b}": [(f"hc_{a}_{b}", "f32", None)]
            for a in ("attn", "ffn")
            for b in ("fn", "base", "scale")
        },
        "sink": [("attn.attn_sink", "f32", None)],
        "q_norm": [("attn.q_norm.weight", "bf16", None)],
        "kv_norm": [("attn.kv_norm.weight", "bf16", None)],
        **{k: [(f"attn.{k}", "fp8", None)] for k in ("wq_a", "wq_b", "wkv", "wo_a", "wo_b")},
        "gate": [("ffn.gate.weight", "bf16", None)],
        "sh13": [("ffn.shared_experts.w1", "fp8", 0), ("ffn.shared_experts.w3", "fp8", 1)],
        "sh2": [("ffn.shared_experts.w2", "fp8", None)],
        "c_wkv": [("attn.compressor.wkv.weight", "bf16", None)],
        "c_norm": [("attn.compressor.norm.weight", "bf16", None)],
        "c_wgate": [("attn.compressor.wgate.weight", "bf16", None)],
        "i_wk": [("attn.indexer.wk.weight", "bf16", None)],
        "ik_norm": [("attn.indexer.k_norm.weight", "bf16", None)],
        "iq_b": [("attn.indexer.wq_b", "fp8", None)],
        "iw": [("attn.indexer.weights_proj.weight", "bf16", None)],
        "table": [("engram.embed", "row8", None)],
        "engram_wkv": [("engram.wkv", "fp8", None)],
        "eq": [("engram.q_weight", "bf16", None)],
        "ek": [("engram.k_weight", "bf16", None)],
    }


def e8m0(s):
    m, e = torch.frexp(s)
    assert bool((m == 0.5).all())
    b = e - 1 + 127
    assert int(b.min()) >= 0 and int(b.max()) < 255
    return b.to(torch.uint8).numpy().tobytes(), list(s.shape)


def nibbles(c):
    mags = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    code = torch.searchsorted(mags, c.abs().contiguous()) | (torch.signbit(c).long() << 3)
    code = code.to(torch.uint8)
    return (code[..., 0::2] | (code[..., 1::2] << 4)).contiguous()


def export(argv):
    ck = torch.load(argv[0] if argv else f"{WORK}/run/last.pt")
    tokenizer = load_tokenizer()
    Engram(tokenizer)
    sd = {k[2:].replace("/", "."): v for k, v in ck["model"].items() if k.startswith("P.")}
    T = {}

    def put(name, kind, w):
        w = w.float().contiguous()
        if kind == "bf16":
            T[name] = ("BF16", list(w.shape), w.bfloat16().view(torch.int16).numpy().tobytes())
        elif kind == "f32":
            T[name] = ("F32", list(w.shape), w.numpy().tobytes())
        elif kind in ("fp8", "row8"):
            c, s = (encode_fp8 if kind == "fp8" else encode_fp8_rows)(w)
            T[name + ".weight"] = (
                "F8_E4M3",
                list(w.shape),
                c.to(torch.float8_e4m3fn).view(torch.uint8).numpy().tobytes(),
            )
            b, sh = e8m0(s)
            T[name + ".scale"] = ("F8_E8M0", sh, b)
        elif kind == "fp4":
            c, s = encode_fp4(w)
            nb = nibbles(c)
            T[name + ".weight"] = ("I8", list(nb.shape), nb.numpy().tobytes())
            b, sh = e8m0(s)
            T[name + ".scale"] = ("F8_E8M0", sh, b)

    for n in ("embed", "head", "norm"):
        put(n + ".weight", "bf16", sd[n])
    tm = tensor_map()
    I = CONFIG["moe_intermediate_size"]
    for k, w in sd.items():
        if "." not in k:
            continue
        l, n = k.split(".", 1)
        p = f"layers.{l}."
        if n == "w13":
            for e in range(w.shape[0]):
                put(f"{p}ffn.experts.{e}.w1", "fp4", w[e, :I])
                put(f"{p}ffn.experts.{e}.w3", "fp4", w[e, I:])
        elif n == "w2":
            for e in range(w.shape[0]):
                put(f"{p}ffn.experts.{e}.w2", "fp4", w[e])
        else:
            for nm, kind, half in tm[n]:
                put(p + nm, kind, w if half is None else w[half * I : (half + 1) * I])
    for l in range(CONFIG["num_hidden_layers"]):
        put(f"layers.{l}.ffn.gate.bias", "f32", ck["model"][f"bias{l}"])
    os.makedirs(EXPORT_FOLDER, exist_ok=True)
    big = (
        lambda n: n.startswith("layers.")
        and (int(n.split(".")[1]) >= 3)
        or n in ("head.weight", "norm.weight")
    )
    shards = [sorted(n for n in T if not big(n)), sorted(n for n in T if big(n))]
    wm = {}
    total = 0
    for i, names in enumerate(shards):
        fn = f"model-{i+1:05d}-of-00002.safetensors"
        hd = {"__metadata__": {"format": "pt"}}
        off = 0
        for n in names:
            dt, sh, b = T[n]
            hd[n] = dict(dtype=dt, shape=sh, data_offsets=[off, off + len(b)])
            off += len(b)
            wm[n] = fn
        h = json.dumps(hd, separators=(",", ":")).encode()
        h += b" " * (-len(h) % 8)
        total += off
        with open(f"{EXPORT_FOLDER}/{fn}", "wb") as f:
            f.write(struct.pack("<Q", len(h)))
            f.write(h)
            for n in names:
                f.write(T[n][2])
    json.dump(
        dict(metadata=dict(total_size=total), weight_map=dict(sorted(wm.items()))),
        open(f"{EXPORT_FOLDER}/model.safetensors.index.json", "w"),
        indent=1,
    )
    text = dict(model_type="deepseek_v41_text", **CONFIG)
    cfg = dict(
        architectures=["DeepseekV41ForCausalLM"],
        model_type="deepseek_v41",
        dtype="bfloat16",
        transformers_version="5.6.0",
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
        image_token_id=tokenizer.token_to_id("<｜deepseek_image｜>"),
        tie_word_embeddings=False,
        quantization_config=dict(
            quant_method="fp8",
            activation_scheme="dynamic",
            weight_block_size=[32, 32],
            scale_fmt="ue8m0",
            expert_dtype="fp4",
        ),
        text_config=text,
        vision_config=None,
    )
    json.dump(cfg, open(f"{EXPORT_FOLDER}/config.json", "w"), indent=2)
    json.dump(
        dict(
            _from_model_config=True,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=2,
            do_sample=True,
            temperature=0.3,
            top_p=0.95,
            transformers_version="5.6.0",
        ),
        open(f"{EXPORT_FOLDER}/generation_config.json", "w"),
        indent=2,
    )

    for f in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(f"{WORK}/tok/{f}", f"{EXPORT_FOLDER}/{f}")
    by = {}
    for dt, sh, b in T.values():
        by.setdefault(dt, [0, 0])
        by[dt][0] += 1
        by[dt][1] += len(b)
    print(
        "tensors",
        len(T),
        "bytes",
        total,
        by,
        "C",
        CONFIG["engram_compressed_vocab_size"],
        "rows",
        CONFIG["engram_num_embeddings"],
    )
