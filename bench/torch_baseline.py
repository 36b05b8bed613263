#!/usr/bin/python3
"""The encoder (stem + 4 Mamba blocks) in plain PyTorch on a CPU: what the engine's speed is compared with.

Plain means the formulas of the Mamba paper in tensor operations, with autograd: the decays and inputs of all tokens at
once, then either a loop over tokens (sequential) or a work-efficient parallel scan that merges pairs recursively
(parallel). Settings are the best there are: OpenBLAS with the kernels of this CPU, threads, flushed denormals, memory that
is kept. torch_tuned.py shows what rewriting the scan for the cache, with a backward of its own, still gains. Prints one
JSON object: best time in ms for one batch, inference and training (forward and backward, loss = mean of out^2).
"""
import argparse
import json
import math
import os
import sys
import time

parser = argparse.ArgumentParser(description="time the encoder in plain PyTorch")
parser.add_argument("--length", type=int, default=6000, help="samples in the window")
parser.add_argument("--windows", type=int, default=1, help="windows in a batch")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--repeat", type=int, default=5, help="timed runs of each variant, after one warm-up")
parser.add_argument("--max-seconds", type=float, default=25.0, help="budget of the whole script")
parser.add_argument("--check", action="store_true", help="compare the variants with each other instead of timing them")
ARGS = parser.parse_args()
START = time.monotonic()
if "CMR_BASELINE" not in os.environ:  # libraries read these settings while they load, so start again with them
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as cpuinfo:
        flags = cpuinfo.read().split()
    env = {"OMP_WAIT_POLICY": "PASSIVE"}  # spinning threads are slow on a busy machine
    env.update(MALLOC_MMAP_MAX_="0", MALLOC_TRIM_THRESHOLD_=str(1 << 40))  # keep freed memory: no page faults
    if "avx2" in flags:  # Debian's OpenBLAS takes newer CPUs for old ones; Haswell's kernels suit AMD too
        env["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in flags else "Haswell"
    env.update(os.environ, OMP_NUM_THREADS=str(ARGS.threads), OPENBLAS_NUM_THREADS=str(ARGS.threads), CMR_BASELINE="1")
    os.execve(sys.executable, [sys.executable, *sys.argv], env)

import torch  # noqa: E402

F, nn = torch.nn.functional, torch.nn
WIDTH, INNER, STATE, TAPS, RANK, LAYERS, PARAMETERS = 128, 256, 16, 4, 8, 4, 468_480


def sequential(a, b, C):
    """y[t] = h[t] C[t] with h[t] = a[t] h[t-1] + b[t]: one token after the other."""
    h, y = torch.zeros_like(b[0]), []
    for at, bt, ct in zip(a.unbind(0), b.unbind(0), C.unbind(0)):
        h = at * h + bt
        y.append((h * ct).sum(-1))
    return torch.stack(y)


def parallel(a, b, C):
    """The same by merging neighbours: log2(L) levels, 2 L merges in all."""
    return (merge(a, b) * C).sum(-1)


def merge(a, b):
    length = len(b)
    if length == 1:
        return b
    if length % 2:
        head = merge(a[:-1], b[:-1])
        return torch.cat([head, a[-1:] * head[-1:] + b[-1:]])
    odd = merge(a[1::2] * a[0::2], a[1::2] * b[0::2] + b[1::2])
    even = torch.cat([b[:1], a[2::2] * odd[:-1] + b[2::2]])
    return torch.stack([even, odd], 1).flatten(0, 1)


class Mamba(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(WIDTH, 2 * INNER, bias=False)
        self.conv = nn.Conv1d(INNER, INNER, TAPS, groups=INNER, padding=TAPS - 1)
        self.x_proj = nn.Linear(INNER, RANK + 2 * STATE, bias=False)
        self.dt_proj = nn.Linear(RANK, INNER)  # softplus(bias) is log-uniform
        self.dt_proj.bias.data.uniform_(math.log(1e-3), math.log(1e-1)).exp_().expm1_().log_()
        self.A_log = nn.Parameter(torch.arange(1.0, STATE + 1).log().repeat(INNER, 1))
        self.D = nn.Parameter(torch.ones(INNER))
        self.out_proj = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x, recurrence):  # [L, windows, WIDTH]
        u, z = self.in_proj(x).split(INNER, 2)
        u = F.silu(self.conv(u.permute(1, 2, 0))[:, :, : len(x)].permute(2, 0, 1))
        dt, B, C = self.x_proj(u).split((RANK, STATE, STATE), 2)
        dt = F.softplus(self.dt_proj(dt))
        decay = torch.exp(dt[..., None] * -self.A_log.exp())  # [L, windows, INNER, STATE]
        y = recurrence(decay, (dt * u)[..., None] * B[:, :, None], C[:, :, None]) + self.D * u
        return self.out_proj(y * F.silu(z))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(1, WIDTH, 7, stride=4, padding=3), nn.BatchNorm1d(WIDTH), nn.GELU())
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS + 1))
        self.blocks = nn.ModuleList(Mamba() for _ in range(LAYERS))
        assert sum(p.numel() for p in self.parameters()) == PARAMETERS

    def forward(self, x, recurrence):  # [windows, samples] -> [L, windows, WIDTH]
        h = self.stem(x[:, None]).permute(2, 0, 1)
        for norm, block in zip(self.norms, self.blocks):
            h = h + block(norm(h), recurrence)
        return self.norms[-1](h)


VARIANTS = {"sequential": sequential, "parallel": parallel}


def run_ms(encoder, x, kind, variant):
    encoder.train(kind == "train").zero_grad(set_to_none=True)
    start = time.perf_counter()
    with torch.inference_mode(kind == "infer"):
        y = encoder(x, VARIANTS[variant])
    if kind == "train":
        y.square().mean().backward()
    return 1e3 * (time.perf_counter() - start)


def measure():
    encoder, x = Encoder(), torch.randn(ARGS.windows, ARGS.length)
    times = {(kind, variant): [] for kind in ("infer", "train") for variant in VARIANTS}
    for round_ in range(1 + ARGS.repeat):  # in turns, so that a busy moment of the machine hits all alike; first: warm-up
        for job, runs in times.items():
            left = ARGS.max_seconds - (time.monotonic() - START)
            if round_ < 2 or left > 2e-3 * max(runs):
                runs.append(run_ms(encoder, x, *job))
    report = {"torch": torch.__version__, "threads": ARGS.threads, "length": ARGS.length, "windows": ARGS.windows}
    for kind in ("infer", "train"):
        best = {variant: round(min(times[kind, variant][1:]), 3) for variant in VARIANTS}
        report.update({kind + "_ms": best, kind + "_best_ms": min(best.values())})
    return report


def check():
    """Both recurrences give the same values and gradients in float64, for even and odd lengths."""
    for length in (2, 3, 64, 101):
        a, b, C = (torch.rand(length, *rest, dtype=torch.float64) for rest in ((3, 2), (3, 2), (1, 2)))
        results = []
        for recurrence in VARIANTS.values():
            leaves = [x.clone().requires_grad_() for x in (a, b, C)]
            y = recurrence(*leaves)
            y.square().sum().backward()
            results.append([y.detach(), *(x.grad for x in leaves)])
        for one, other in zip(*results):
            torch.testing.assert_close(one, other)
    Encoder()
    return {"check": "ok"}


torch.set_flush_denormal(True)  # before the first parallel region: its threads inherit the setting
torch.set_num_threads(ARGS.threads)
print(json.dumps(check() if ARGS.check else measure()))
