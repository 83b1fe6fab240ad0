"""Momentum with Newton-Schulz orthogonalisation for the dense matrices, AdamW for the rest."""

import torch

MUON_MATRICES = (
    "wq_a",
    "wq_b",
    "wkv",
    "wo_a",
    "wo_b",
    "sh13",
    "sh2",
    "engram_wkv",
    "c_wkv",
    "c_wgate",
)


class Muon(torch.optim.Optimizer):
    """Momentum and Newton-Schulz orthogonalisation, for matrices between embedding and head."""

    def __init__(self, params, lr=0.02, mom=0.95):
        super().__init__(params, dict(lr=lr, mom=mom))

    @torch.no_grad()
    def step(self):
        for gr in self.param_groups:
            by = {}
            for p in gr["params"]:
                if p.grad is None:
                    continue
                s = self.state[p]
                if "m" not in s:
                    s["m"] = torch.zeros_like(p)
                s["m"].mul_(gr["mom"]).add_(p.grad)
                u = p.grad + gr["mom"] * s["m"]
                by.setdefault(tuple(p.shape[-2:]), []).append((p, u if u.dim() == 3 else u[None]))
            for sh, lst in by.items():
                G = torch.cat([u for _, u in lst])
                tr = sh[0] > sh[1]
                if tr:
                    G = G.transpose(1, 2)
                G = G / (G.norm(dim=(1, 2), keepdim=True) + 1e-7)
                for _ in range(5):
                    A = torch.bmm(G, G.transpose(1, 2))
                    Bm = torch.baddbmm(A, A, A, beta=-4.7750, alpha=2.0315)
                    G = torch.baddbmm(G, Bm, G, beta=3.4445)
                if tr:
                    G = G.transpose(1, 2)
                i = 0
                for p, u in lst:
                    n = u.shape[0]
                    d = G[i : i + n]
                    i += n
                    p.mul_(1 - 0.1 * gr["lr"])
                    p.add_(d.reshape(p.shape), alpha=-gr["lr"] * max(1, sh[0] / sh[1]) ** 0.5)


def make_optimisers(model):
    gm, ga, gt, gi = [], [], [], []
    for k, p in model.P.items():
        b = k.split("/")[-1]
        (
            gm
            if b in MUON_MATRICES
            else (
                gt
                if b in ("table", "embed")
                else gi if b in ("iq_b", "iw", "i_wk", "ik_norm") else ga
            )
        ).append(p)
    mu = Muon(gm, 0.02)
    ad = torch.optim.AdamW(
        [dict(params=ga, lr=2e-3), dict(params=gt, lr=4e-3), dict(params=gi, lr=2e-3)],
        betas=(0.9, 0.98),
        weight_decay=0.0,
        eps=1e-9,
    )
    for o in (mu, ad):
        for gr in o.param_groups:
            gr["lr0"] = gr["lr"]
    return [mu, ad]
