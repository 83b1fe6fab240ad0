"""The forward pass in PyTorch, for training and for measuring (model specification 2)."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from tiny_model.config import CONFIG, EPS, STREAMS
from tiny_model.quantise import (
    encode_fp4,
    encode_fp8_rows,
    fake_fp8,
    fake_rows,
    quantise_q4e,
    quantise_q4u,
    quantise_q8,
    straight_through,
)


def rope_frequencies(compress):
    rd = CONFIG["qk_rope_head_dim"]
    base = float(CONFIG["compress_rope_theta"] if compress else CONFIG["rope_theta"])
    f = 1.0 / (
        torch.tensor(base, dtype=torch.float32)
        ** (torch.arange(0, rd, 2, dtype=torch.float32) / rd)
    )
    rs = CONFIG["rope_scaling"]
    if compress and rs:
        o, Fc = rs["original_max_position_embeddings"], rs["factor"]
        cd = lambda x: rd * math.log(o / (x * 2 * math.pi)) / (2 * math.log(base))
        low, high = max(math.floor(cd(rs["beta_fast"])), 0), min(
            math.ceil(cd(rs["beta_slow"])), rd - 1
        )
        ramp = ((torch.arange(rd // 2, dtype=torch.float32) - low) / max(high - low, 0.001)).clamp(
            0, 1
        )
        sm = 1 - ramp
        f = (f / Fc) * (1 - sm) + f * sm
    return f


class Model(nn.Module):
    QUANT8 = ("wq_a", "wq_b", "wkv", "wo_a", "wo_b", "iq_b", "sh13", "sh2", "engram_wkv")

    def __init__(self, max_pos=2048):
        super().__init__()
        c = CONFIG
        D, L, I, E, H, hd = (
            c["hidden_size"],
            c["num_hidden_layers"],
            c["moe_intermediate_size"],
            c["n_routed_experts"],
            c["num_attention_heads"],
            c["head_dim"],
        )
        self.D, self.L, self.I, self.E, self.H, self.hd = D, L, I, E, H, hd
        self.W = c["sliding_window"]
        self.rd = c["qk_rope_head_dim"]
        P = {}
        lin = lambda o, i, g=1.0: torch.randn(o, i) * g * i**-0.5
        P["embed"] = torch.randn(c["vocab_size"], D) * 0.5
        P["head"] = torch.randn(c["vocab_size"], D) * 0.02
        P["norm"] = torch.ones(D)
        ql, ol, og = c["q_lora_rank"], c["o_lora_rank"], c["o_groups"]
        hi, Hi = c["index_head_dim"], c["index_n_heads"]
        for l in range(L):
            p = f"{l}."
            P[p + "attn_norm"] = torch.ones(D)
            P[p + "ffn_norm"] = torch.ones(D)
            for s in ("hc_attn_", "hc_ffn_"):
                P[p + s + "fn"] = torch.randn(24, STREAMS * D) * 0.02
                P[p + s + "scale"] = torch.tensor([0.2, 0.2, 0.2])
                P[p + s + "base"] = torch.cat(
                    [
                        -1.1 + 0.6 * torch.randn(4),
                        0.4 * torch.randn(4),
                        (3.0 * torch.eye(4) + 0.3 * torch.randn(4, 4)).flatten(),
                    ]
                )
            P[p + "sink"] = torch.zeros(H)
            P[p + "q_norm"] = torch.ones(ql)
            P[p + "kv_norm"] = torch.ones(hd)
            P[p + "wq_a"] = lin(ql, D)
            P[p + "wq_b"] = lin(H * hd, ql)
            P[p + "wkv"] = lin(hd, D)
            P[p + "wo_a"] = lin(og * ol, H * hd // og)
            P[p + "wo_b"] = lin(D, og * ol, 0.3)
            P[p + "gate"] = torch.randn(E, D) * D**-0.5
            P[p + "w13"] = torch.randn(E, 2 * I, D) * D**-0.5
            P[p + "w2"] = torch.randn(E, D, I) * 0.3 * I**-0.5
            P[p + "sh13"] = lin(2 * I, D)
            P[p + "sh2"] = lin(D, I, 0.3)
            r = c["compress_ratios"][l]
            if l in c["kv_source_layer_ids"]:
                P[p + "c_wkv"] = lin(hd, D)
                P[p + "c_norm"] = torch.ones(hd)
                if r > 1:
                    P[p + "c_wgate"] = lin(hd, D, 0.3)
                P[p + "i_wk"] = lin(hi, hd)
                P[p + "ik_norm"] = torch.ones(hi)
            if l in c["index_source_layer_ids"]:
                P[p + "iq_b"] = lin(Hi * hi, ql)
                P[p + "iw"] = lin(Hi, D)
            if l in c["engram_layer_ids"]:
                n = c["engram_num_embeddings"][c["engram_layer_ids"].index(l)]
                ed = c["engram_head_dim"]
                ei = (c["engram_max_ngram_size"] - 1) * c["engram_n_heads"] * ed
                P[p + "table"] = torch.randn(n, ed) * 0.1
                P[p + "engram_wkv"] = torch.cat([lin(STREAMS * D, ei), lin(D, ei, 0.3)])
                P[p + "eq"] = torch.ones(STREAMS, D)
                P[p + "ek"] = torch.ones(STREAMS, D)
        self.P = nn.ParameterDict({k.replace(".", "/"): nn.Parameter(v) for k, v in P.items()})
        for l in range(L):
            self.register_buffer(f"bias{l}", torch.zeros(E))
        pos = torch.arange(max_pos, dtype=torch.float32)
        self.cis = [
            torch.polar(torch.ones(max_pos, self.rd // 2), pos[:, None] * rope_frequencies(k)[None])
            for k in (False, True)
        ]
        self.sink_iters = 5
        self.select = False
        self.index_loss = False
        self.qat = False
        self.bf16 = False
        self.qact = False
        self.load = {}
        self.cap = None
        self.sup = None
        self.sup_loss = 0.0

    def g(self, k):
        return self.P[k.replace(".", "/")]

    def r(self, x):
        return x.bfloat16().float() if self.bf16 else x

    def norm(self, x, w):
        return self.r(F.rms_norm(x, (x.shape[-1],), w, EPS))

    def wq(self, k):
        w = self.g(k)
        if self.qat:
            b = k.split(".")[-1]
            if b in self.QUANT8:
                return straight_through(w, fake_fp8)
            if b == "table":
                return straight_through(w, lambda t: fake_rows(t, encode_fp8_rows))
            if b in ("w13", "w2"):
                return straight_through(w, lambda t: fake_rows(t, encode_fp4))
        return w

    def QL(self, k, x):
        return self.r(F.linear(quantise_q8(x) if self.qact else x, self.wq(k)))

    def BL(self, w, x):
        return self.r(F.linear(x, w))

    def rope(self, x, cis, inverse=False):  # x [B,T,(H,)c], cis [T, rd/2]
        n = x.shape[-1] - self.rd
        a, x_ = x.split([n, self.rd], -1)
        t = torch.view_as_complex(x_.reshape(*x.shape[:-1], self.rd // 2, 2))
        cc = cis.conj() if inverse else cis
        if x.dim() == 4:
            cc = cc[:, None]
        t = torch.view_as_real(t * cc).flatten(-2)
        return self.r(torch.cat([a, t], -1) if n else t)

    def hc_mixes(self, X, p):
        fn, sc, ba = self.g(p + "fn"), self.g(p + "scale"), self.g(p + "base")
        N = X.shape[0]
        eps = CONFIG["hc_eps"]
        xf = X.reshape(N, -1)
        m = F.linear(xf, fn) * torch.rsqrt(xf.square().mean(-1, keepdim=True) + EPS)
        m = m * sc.repeat_interleave(_repeat, output_size=24) + ba
        m1, m2, m3 = m.split([4, 4, 16], 1)
        pre = torch.sigmoid(m1) + eps
        post = 2 * torch.sigmoid(m2)
        c = m3.t().reshape(4, 4, N)
        c = torch.softmax(c, 1) + eps
        c = c / (c.sum(0, keepdim=True) + eps)
        for _ in range(self.sink_iters - 1):
            c = c / (c.sum(1, keepdim=True) + eps)
            c = c / (c.sum(0, keepdim=True) + eps)
        return pre, post, c.reshape(16, N).t().reshape(N, 4, 4)

    def collapse(self, X, pre):
        return self.r(torch.bmm(pre[:, None, :], X)[:, 0])

    def expand(self, y, X, post, comb):
        return self.r(
            torch.bmm(
                torch.cat([post[:, :, None], comb.transpose(1, 2)], 2),
                torch.cat([y[:, None, :], X], 1),
            )
        )

    def engram(self, X, l, rows):
        p = f"{l}."
        D = self.D
        N = X.shape[0]
        e = F.embedding(rows.reshape(N, -1), self.wq(p + "table")).reshape(N, -1)
        kv = self.QL(p + "engram_wkv", e)
        key, val = kv.split([STREAMS * D, D], 1)
        key = key.reshape(N, STREAMS, D)
        w = self.g(p + "eq") * self.g(p + "ek")
        rstd = torch.rsqrt(X.square().mean(-1) + EPS) * torch.rsqrt(key.square().mean(-1) + EPS)
        dot = (X * w * key).sum(-1) * rstd * D**-0.5
        gate = torch.sigmoid(torch.copysign(torch.sqrt(dot.abs().clamp(min=1e-6)), dot))
        return self.r(X + gate[:, :, None] * val[:, None, :])

    def attention(self, x, l, st):
        c = CONFIG
        p = f"{l}."
        B, T, D = x.shape
        H, hd, W = self.H, self.hd, self.W
        ratio = c["compress_ratios"][l]
        cis = self.cis[1 if ratio else 0]
        qr = self.norm(self.QL(p + "wq_a", x), self.g(p + "q_norm"))
        q = self.rope(self.QL(p + "wq_b", qr).reshape(B, T, H, hd), cis[:T])
        kv = self.rope(self.norm(self.QL(p + "wkv", x), self.g(p + "kv_norm")), cis[:T])
        kv = straight_through(kv, quantise_q8)
        nb = T // W
        sc = hd**-0.5
        kb = kv.reshape(B, nb, W, hd)
        keys = torch.cat([torch.cat([torch.zeros_like(kb[:, :1]), kb[:, :-1]], 1), kb], 2).reshape(
            B * nb, 2 * W, hd
        )
        qs = q * sc
        sw = (
            torch.bmm(qs.reshape(B * nb, W * H, hd), keys.transpose(1, 2)).reshape(
                B, nb, W, H, 2 * W
            )
            + st["wmask"]
        )
        parts = [sw.reshape(B, T, H, 2 * W)]
        if ratio:
            if l in c["kv_source_layer_ids"]:
                if ratio == 1:
                    lat = self.norm(self.BL(self.g(p + "c_wkv"), x), self.g(p + "c_norm"))
                else:
                    a = F.linear(x, self.g(p + "c_wkv")).reshape(B, T // 2, 2, hd)
                    gg = F.linear(x, self.g(p + "c_wgate")).reshape(B, T // 2, 2, hd)
                    lat = self.norm(self.r((torch.softmax(gg, 2) * a).sum(2)), self.g(p + "c_norm"))
                n = lat.shape[1]
                cj = cis[0 : n * ratio : ratio]
                st["ent"] = straight_through(self.rope(lat, cj), quantise_q4e)
                vis = (torch.arange(T)[:, None] + 1) // ratio
                st["visible"] = torch.arange(n)[None] < vis  # [T,n]
                st["sel"] = st["visible"]
                st["cand"] = None
                st["visn"] = vis
                st["lat"], st["cj"], st["src"] = lat, cj, p
            if self.cap is not None:
                self.cap[l] = x
            if l in c["index_source_layer_ids"] and (self.select or self.index_loss):
                k = self.norm(
                    self.BL(self.g(st["src"] + "i_wk"), st["lat"].detach()),
                    self.g(st["src"] + "ik_norm"),
                )
                k = straight_through(self.rope(k, st["cj"]), quantise_q4u)
                Hi, hi = c["index_n_heads"], c["index_head_dim"]
                n = k.shape[1]
                qi = straight_through(
                    self.rope(self.QL(p + "iq_b", qr.detach()).reshape(B, T, Hi, hi), cis[:T]),
                    quantise_q4u,
                )
                wg = self.r(self.BL(self.g(p + "iw"), x.detach()) * (hi * Hi) ** -0.5)
                s = torch.bmm(qi.reshape(B, T * Hi, hi), k.transpose(1, 2)).reshape(B, T, Hi, n)
                s = (F.relu(s) * wg[..., None]).sum(2)
                s = s.masked_fill(~st["visible"], -float("inf"))
                st["iscore"].append((l, s))
                if self.select:
                    with torch.no_grad():
                        sd = s.detach()
                        if (
                            c["candidate_source_layer_id"] >= 0
                            and l > c["candidate_source_layer_id"]
                            and st["cand"] is not None
                        ):
                            sd = sd.masked_fill(~st["cand"], -float("inf"))
                        K = min(c["index_topk"], n)
                        if K < n:
                            o = best_entries(sd, K)
                            m = torch.zeros(B, T, n, dtype=torch.bool).scatter_(2, o, True)
                            st["sel"] = m & (sd > -float("inf"))
                        else:
                            st["sel"] = sd > -float("inf")
                        if l == c["candidate_source_layer_id"]:
                            bs = c["candidate_block_size"]
                            nbk = -(-n // bs)
                            sp = (
                                F.pad(s.detach(), (0, nbk * bs - n), value=-float("inf"))
                                .reshape(B, T, nbk, bs)
                                .amax(-1)
                            )
                            newest = torch.div(st["visn"] - 1, bs, rounding_mode="floor")
                            pin = torch.arange(nbk)[None] == newest
                            sp = sp.masked_fill(pin, float("inf"))
                            kk = min(c["candidate_topk_blocks"], nbk)
                            o = best_entries(sp, kk)
                            keep = torch.zeros(B, T, nbk, dtype=torch.bool).scatter_(2, o, True) & (
                                sp > -float("inf")
                            )
                            st["cand"] = keep.repeat_interleave(bs, -1)[..., :n]
            ent = st["ent"]
            n = ent.shape[1]
            scp = torch.bmm(qs.reshape(B, T * H, hd), ent.transpose(1, 2)).reshape(B, T, H, n)
            sel = st["sel"]
            sel = sel[:, None] if sel.dim() == 2 else sel[:, :, None]
            bias = torch.zeros(sel.shape).masked_fill_(~sel, -1e30)
            parts.append(scp + bias)
        parts.append(self.g(p + "sink")[:, None].expand(B, T, H, 1))
        pr = torch.softmax(torch.cat(parts, -1), -1)
        pr = pr.split([2 * W] + ([n] if ratio else []) + [1], -1)
        pw = pr[0].reshape(B * nb, W * H, 2 * W)
        if self.sup is not None:
            # Training aid: show head 0 of layers 0 and 1 the previous token, and heads 0 and 1 of
            # layers 4 and 5 the source.
            if l in (0, 1):
                t_ = torch.arange(1, T)
                self.sup_loss = (
                    self.sup_loss - torch.log(pr[0][:, t_, 0, t_ % W + W - 1] + 1e-4).mean()
                )
            elif l in (4, 5) and self.sup[0].numel():
                bi, ti, M = self.sup
                self.sup_loss = (
                    self.sup_loss
                    - torch.log((pr[1][bi, ti][:, :2] * M[:, None]).sum(-1) + 1e-4).mean()
                )
        o = torch.bmm(pw, keys).reshape(B, T, H, hd)
        if ratio:
            pc = pr[1]
            if self.index_loss:
                st["target"].append((l, pc.detach().mean(2)))
            o = o + torch.bmm(pc.reshape(B, T * H, n), ent).reshape(B, T, H, hd)
        o = self.rope(self.r(o), cis[:T], inverse=True)
        og, ol = c["o_groups"], c["o_lora_rank"]
        wa = self.wq(p + "wo_a").reshape(og, ol, -1)
        z = torch.bmm(o.reshape(B * T, og, -1).transpose(0, 1), wa.transpose(1, 2))  # [og, N, ol]
        z = self.r(z).transpose(0, 1).reshape(B, T, og * ol)
        return self.QL(p + "wo_b", z)

    def moe(self, x, l):
        c = CONFIG
        p = f"{l}."
        I = self.I
        k = c["num_experts_per_tok"]
        lim = c["swiglu_limit"]
        N = x.shape[0]
        sc = torch.sqrt(F.softplus(F.linear(x, self.g(p + "gate"))))
        sel = (sc.detach() + getattr(self, f"bias{l}")).topk(k, 1).indices
        wt = sc.gather(1, sel)
        wt = wt / (wt.sum(1, keepdim=True) + 1e-20) * c["routed_scaling_factor"]
        flat = sel.reshape(-1)
        order = flat.argsort(stable=True)
        cnt = torch.bincount(flat, minlength=self.E)
        self.load[l] = cnt
        xs = torch.index_select(quantise_q8(x) if self.qact else x, 0, order // k)
        ws = torch.index_select(wt.reshape(-1), 0, order)[:, None]

        def act(gu):
            g, u = gu.split(I, 1)
            return F.silu(g.clamp(max=lim)) * u.clamp(-lim, lim)

        w13, w2 = self.wq(p + "w13").unbind(0), self.wq(p + "w2").unbind(0)
        sizes = cnt.tolist()
        outs = []
        for e, (xe, we) in enumerate(zip(xs.split(sizes), ws.split(sizes))):
            if xe.shape[0]:
                m = self.r(act(self.r(F.linear(xe, w13[e]))) * we)
                outs.append(self.r(F.linear(quantise_q8(m) if self.qact else m, w2[e])))
        inv = torch.empty_like(order)
        inv[order] = torch.arange(order.numel())
        y = torch.index_select(torch.cat(outs), 0, inv).reshape(N, k, -1).sum(1)
        m = self.r(act(self.QL(p + "sh13", x)))
        return self.r(y + self.QL(p + "sh2", m))

    def forward(self, ids, rows):
        """Final hidden states [batch, T, width] of ids [batch, T], T a multiple of the window;
        rows = Engram()(ids)."""
        c = CONFIG
        B, T = ids.shape
        D = self.D
        W = self.W
        e = self.r(F.embedding(ids, self.g("embed"))).reshape(B * T, D)
        X = e[:, None, :].expand(B * T, STREAMS, D).contiguous()
        pre = torch.zeros(B * T, STREAMS)
        pre[:, 0] = 1
        i, k = torch.arange(W)[:, None], torch.arange(2 * W)[None]
        ok = (k > i) & (k <= i + W)
        wm = torch.zeros(T // W, W, 1, 2 * W).masked_fill_(~ok[None, :, None], -1e30)
        wm[0, :, :, :W] = -1e30
        st = dict(wmask=wm, iscore=[], target=[])
        for l in range(self.L):
            p = f"{l}."
            if l in c["engram_layer_ids"]:
                X = self.engram(X, l, rows[c["engram_layer_ids"].index(l)])
            pa, sa, ca = self.hc_mixes(X, p + "hc_attn_")
            u = self.norm(self.collapse(X, pre), self.g(p + "attn_norm"))
            u = self.attention(u.reshape(B, T, D), l, st).reshape(B * T, D)
            X = self.expand(u, X, sa, ca)
            pf, sf, cf = self.hc_mixes(X, p + "hc_ffn_")
            v = self.norm(self.collapse(X, pa), self.g(p + "ffn_norm"))
            X = self.expand(self.moe(v, l), X, sf, cf)
            pre = pf
        h = self.norm(self.collapse(X, pre), self.g("norm"))
        self.aux = None
        if self.index_loss:
            aux = 0.0
            srcs = c["index_source_layer_ids"]
            for l, s in st["iscore"]:
                nx = [z for z in srcs if z > l]
                hi = nx[0] if nx else self.L
                t = sum(tt for (ll, tt) in st["target"] if l <= ll < hi)
                tot = t.sum(-1, keepdim=True)
                has = tot[..., 0] > 1e-6
                t = t / (tot + 1e-9)
                lp = torch.log_softmax(s.masked_fill(~_visible(s), -1e30), -1)
                aux = aux + (-(t * lp.clamp(min=-60)).sum(-1) * has).sum() / has.sum().clamp(min=1)
            self.aux = aux
        return h.reshape(B, T, D)

    def logits(self, h):
        return F.linear(h, self.g("head"))


_repeat = torch.tensor([4, 4, 16])


def best_entries(s, k):
    """k best; exact evaluation breaks ties by the lower index (2.9.9)"""
    if SWITCHES['fast_topk']:  # training only
        return s.topk(k, -1, sorted=False).indices
    return torch.argsort(s, dim=-1, descending=True, stable=True)[..., :k]


# Set while training.
SWITCHES = {'fast_topk': False}


def _visible(s):
    return s > -float("inf")
