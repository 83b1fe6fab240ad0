"""The training loop."""

import argparse
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from tiny_model.config import CONFIG, WORK
from tiny_model.data import Data
from tiny_model.engram import Engram
from tiny_model.measure import held_out_loss, recall_accuracy
from tiny_model.model import Model, SWITCHES
from tiny_model.optimiser import make_optimisers
from tiny_model.tokenizer import load_tokenizer


def supervised_targets(X, Wt):
    """(row, query, mask over positions) of every supervised answer token: the earlier places where
    the same context led to it."""
    A = X[:, :-1]
    A1 = np.pad(A, ((0, 0), (1, 0)), constant_values=-1)[:, :-1]
    A2 = np.pad(A, ((0, 0), (2, 0)), constant_values=-1)[:, :-2]
    b, t = np.nonzero(Wt[:, 1:] > 1)
    w = Wt[b, t + 1]
    M = (
        (A[b] == X[b, t + 1][:, None])
        & (A1[b] == A[b, t][:, None])
        & ((A2[b] == A1[b, t][:, None]) | (w < 2)[:, None])
        & (np.arange(A.shape[1])[None] <= t[:, None])
    )
    k = M.any(1)
    return torch.from_numpy(b[k]), torch.from_numpy(t[k]), torch.from_numpy(M[k])


@torch.no_grad()
def init_index(model, engrams, data):
    """Starts the index branch as a copy of the attention: queries = wq_b, keys = latents, weights
    about 2 everywhere (least squares on one batch)."""
    X, _ = data.batch(4, 256)
    model.cap = {}
    model(torch.from_numpy(X[:, :-1].copy()), engrams(X[:, :-1]))
    cap, model.cap = model.cap, None
    for l in CONFIG["index_source_layer_ids"]:
        model.g(f"{l}.iq_b").copy_(model.g(f"{l}.wq_b"))
        x = cap[l].reshape(-1, model.D)
        u = torch.linalg.solve(
            x.T @ x + 1.0 * torch.eye(model.D), (x.T @ torch.full((x.shape[0], 1), 2.0))
        )
        print("index weight fit, layer", l, "mean %.2f std %.2f" % ((x @ u).mean(), (x @ u).std()))
        model.g(f"{l}.iw").copy_(u.T.expand(CONFIG["index_n_heads"], -1))
    for l in CONFIG["kv_source_layer_ids"]:
        model.g(f"{l}.i_wk").copy_(torch.eye(model.hd))
        model.g(f"{l}.ik_norm").fill_(1)


def train(argv):

    ap = argparse.ArgumentParser()
    for a, t, d in (
        ("seconds", float, 600),
        ("T", int, 256),
        ("B", int, 8),
        ("lr0", float, 1),
        ("lr1", float, 1),
        ("warm", int, 40),
        ("seed", int, 1),
        ("mix", str, "0.5,0.4,0.1"),
        ("sink", int, 5),
        ("evalevery", int, 100),
        ("echo", float, 0),
        ("sup", float, 0),
        ("embed_scale", float, 1),
        ("boost", float, 1),
        ("alice", float, 0.72),
        ("copy", float, 0),
        ("fill", str, "0,.3,.6,1"),
    ):
        ap.add_argument("--" + a, type=t, default=d)
    ap.add_argument("--init")
    ap.add_argument("--out", default=f"{WORK}/run/last.pt")
    for a in ("index", "select", "qat", "fresh", "init_index"):
        ap.add_argument("--" + a, action="store_true")
    a = ap.parse_args(argv)
    SWITCHES['fast_topk'] = True
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    os.makedirs(f"{WORK}/run", exist_ok=True)
    tokenizer = load_tokenizer()
    engrams = Engram(tokenizer)
    data = Data(tokenizer, a.seed)
    data.p_echo = a.echo
    data.p_alice = a.alice
    data.p_copy = a.copy
    data.fill = [float(x) for x in a.fill.split(',')]
    model = Model()
    opts = make_optimisers(model)
    if a.init:
        ck = torch.load(a.init)
        model.load_state_dict(ck["model"])
        if a.embed_scale != 1:
            with torch.no_grad():
                model.g("embed").mul_(a.embed_scale)
        if not a.fresh:
            for o, s in zip(opts, ck["opt"]):
                o.load_state_dict(s)
    print(sum(p.numel() for p in model.parameters()) / 1e6, "M parameters;", vars(a), flush=True)
    if a.init_index:
        init_index(model, engrams, data)
    model.sink_iters = a.sink
    model.index_loss = a.index
    model.select = a.select
    model.qat = a.qat
    mix = [float(x) for x in a.mix.split(",")]
    t0 = time.time()
    step = 0
    ema = None
    last_save = t0
    while True:
        fr = (time.time() - t0) / a.seconds
        if fr >= 1:
            break
        lr = (a.lr0 + (a.lr1 - a.lr0) * fr) * min(1, (step + 1) / a.warm)
        for o in opts:
            for gr in o.param_groups:
                gr["lr"] = gr["lr0"] * lr
        X, Wt = data.batch(a.B, a.T, mix)
        rows = engrams(X[:, :-1])
        Xt = torch.from_numpy(X)
        model.sup_loss = 0.0
        model.sup = supervised_targets(X, Wt) if a.sup else None
        h = model(Xt[:, :-1].contiguous(), rows)
        model.sup = None
        ce = F.cross_entropy(model.logits(h).flatten(0, 1), Xt[:, 1:].flatten(), reduction="none")
        w = torch.from_numpy(Wt[:, 1:]).flatten()
        wb = torch.where(w > 1, w * a.boost, w)
        loss = (ce * wb).sum() / wb.sum()
        tot = loss + (0.1 * model.aux if a.index else 0) + (a.sup * model.sup_loss if a.sup else 0)
        tot.backward()
        gn = torch.nn.utils.clip_grad_norm_(
            [p for p in model.parameters() if p.grad is not None], 1.0
        )
        for o in opts:
            o.step()
        for p in model.parameters():
            p.grad = None
        for l, c in model.load.items():
            getattr(model, f"bias{l}").add_(1e-3 * lr * torch.sign(c.float().mean() - c.float()))
        mean = lambda s: ce[s].mean().item() if s.any() else float("nan")
        cur = [mean(w == 1), mean(w > 2), mean((w > 1) & (w < 2))]
        ema = (
            cur
            if ema is None
            else [e if c != c else c if e != e else 0.93 * e + 0.07 * c for e, c in zip(ema, cur)]
        )
        step += 1
        if step % 20 == 0:
            print(
                f"{step} {time.time()-t0:.0f}s lm {ema[0]:.3f} recall {ema[1]:.3f} copy"
                f" {ema[2]:.3f} gn {gn:.2f} lr {lr:.2f}"
                + (f" aux {model.aux.item():.3f}" if a.index else "")
                + (f" sup {model.sup_loss.item():.3f}" if a.sup else ""),
                flush=True,
            )
        if step % a.evalevery == 0 or time.time() - last_save > 300:
            s0 = model.index_loss
            model.index_loss = False
            print(
                "  held",
                "alice %.3f plays %.3f" % held_out_loss(model, engrams, data),
                "recall256 %.2f (%d) far %.2f (%d)" % recall_accuracy(model, engrams, data, 256, 6),
                flush=True,
            )
            model.index_loss = s0
            torch.save(
                dict(model=model.state_dict(), opt=[o.state_dict() for o in opts]), a.out + ".tmp"
            )
            os.replace(a.out + ".tmp", a.out)
            last_save = time.time()
    torch.save(dict(model=model.state_dict(), opt=[o.state_dict() for o in opts]), a.out)
    model.index_loss = False
    print(
        "final held",
        "alice %.3f plays %.3f" % held_out_loss(model, engrams, data),
        "recall256",
        recall_accuracy(model, engrams, data, 256, 10),
        "recall768",
        recall_accuracy(model, engrams, data, 768, 6),
    )
