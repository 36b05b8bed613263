#!/usr/bin/python3
"""The encoder in PyTorch tuned beyond what people write: cache-blocked scans in place with a hand-written backward.

Reported beside the plain versions of torch_baseline.py, to show how far PyTorch itself can be pushed. Same command line and
same JSON. The recurrence is sequential (per token), chunked (per position in a chunk, for all chunks of a block, then per
chunk) or doubling (pairs merged recursively); blocks of tokens are laid out [token, state, channel]. GEMMs by BLAS or
oneDNN, whichever is faster here.
"""
import argparse
import contextlib
import json
import math
import os
import signal
import sys
import time

DEADLINE = "TORCH_BASELINE_DEADLINE"  # when the measurements must end, in the environment of the second start
parser = argparse.ArgumentParser(description="time the encoder in plain PyTorch")
parser.add_argument("--length", type=int, default=6000, help="samples in the window")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--repeat", type=int, default=5, help="timed runs of each variant, after one warm-up")
parser.add_argument("--max-seconds", type=float, default=25.0, help="budget of the whole script")
parser.add_argument("--check", action="store_true", help="verify the variants instead of timing them")
ARGS = parser.parse_args()
if DEADLINE not in os.environ:  # libraries read these settings while they load, so start again with them
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as cpuinfo:
        flags = cpuinfo.read().split()
    env = {"OMP_WAIT_POLICY": "PASSIVE"}  # spinning threads are slow on a busy machine
    env.update(MALLOC_MMAP_MAX_="0", MALLOC_TRIM_THRESHOLD_=str(1 << 40))  # keep freed memory: no page faults
    if "avx2" in flags:  # Debian's OpenBLAS takes newer CPUs for old ones; Haswell's kernels suit AMD too
        env["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in flags else "Haswell"
    env.update(os.environ, OMP_NUM_THREADS=str(ARGS.threads), OPENBLAS_NUM_THREADS=str(ARGS.threads))
    env[DEADLINE] = str(time.monotonic() + 0.96 * ARGS.max_seconds - 0.4)
    os.execve(sys.executable, [sys.executable, *sys.argv], env)

import torch  # noqa: E402

F, nn = torch.nn.functional, torch.nn
WIDTH, INNER, STATE, TAPS, RANK, LAYERS, PARAMETERS = 128, 256, 16, 4, 8, 4, 468_480
BLOCK, CHUNK, LEAF = 128, 16, 8  # tokens in a block, in a chunk, and where doubling becomes a loop


# Recurrences, in place: b[t] += a[t] b[t-1] for t = 1 .. T-1 (step 1), b[t] += a[t] b[t+1] for t = T-2 .. 0 (step -1).
def sequential(a, b, step):
    a, b = a.unbind(0)[::step], b.unbind(0)[::step]
    for at, bt, before in zip(a[1:], b[1:], b):
        bt.addcmul_(at, before)


def chunked(a, b, step):
    if len(b) % CHUNK:
        return sequential(a, b, step)
    a, b = a.unflatten(0, (-1, CHUNK)), b.unflatten(0, (-1, CHUNK))
    p = torch.empty_like(a)  # products of a from the start of the chunk
    at, bt, pt = (x.unbind(1)[::step] for x in (a, b, p))
    pt[0].copy_(at[0])
    for t in range(1, CHUNK):
        bt[t].addcmul_(at[t], bt[t - 1])
        torch.mul(at[t], pt[t - 1], out=pt[t])
    chunks, products, ends = (x.unbind(0)[::step] for x in (b, p, bt[-1]))
    for chunk, product, end in zip(chunks[1:], products[1:], ends):
        chunk.addcmul_(product, end)


def doubling(a, b, step):
    if len(b) % 2 or len(b) <= LEAF:
        return sequential(a, b, step)
    (a1, b1), (a2, b2) = ((a[i::2], b[i::2]) for i in (0, 1)[::step])  # of each pair, in the order of the recurrence
    b2.addcmul_(a2, b1)
    doubling(a1 * a2, b2, step)
    here, before = (slice(1, None), slice(-1))[::step]
    b1[here].addcmul_(a1[here], b2[before])


def scan(u, dt, A, B, C, recurrence, keep=False):
    """y_t = C_t h_t with h_t = exp(dt_t A) h_{t-1} + dt_t u_t B_t; u, dt [L, D]; A [N, D]; B, C [L, N].
    If kept, a has the decay of token t in row t and h its state in row t + 1."""
    length, y, dtu = len(u), torch.empty_like(u), dt * u
    a, h = u.new_empty(2, (length if keep else BLOCK) + 1, *A.shape)
    a[-1], h[0] = 0, 0
    work = u.new_empty(BLOCK, *A.shape) if keep else a
    for s in range(0, length, BLOCK):
        e, row = min(s + BLOCK, length), s if keep else 0
        ak, hk = a[row : row + e - s], h[row + 1 : row + 1 + e - s]
        torch.mul(dt[s:e, None], A, out=ak).exp_()
        torch.mul(B[s:e, :, None], dtu[s:e, None], out=hk)
        hk[0].addcmul_(ak[0], h[row])
        recurrence(ak, hk, 1)
        torch.sum(torch.mul(hk, C[s:e, :, None], out=work[: e - s]), 1, out=y[s:e])
        if not keep:
            h[0].copy_(hk[-1])
    return y, a, h


class Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u, dt, A, B, C, recurrence):
        y, a, h = scan(u, dt, A, B, C, recurrence, keep=True)
        ctx.save_for_backward(u, dt, A, B, C, a, h)
        ctx.recurrence = recurrence
        return y

    @staticmethod
    def backward(ctx, gy):
        u, dt, A, B, C, a, h = ctx.saved_tensors
        dtu, gA, carry = dt * u, torch.zeros_like(A), torch.zeros_like(A)
        gdtu, gdt, gB, gC = (torch.empty_like(x) for x in (u, u, B, C))
        g, work = u.new_empty(2, BLOCK, *A.shape)
        for s in reversed(range(0, len(u), BLOCK)):
            e = min(s + BLOCK, len(u))
            gk, wk, gyk = g[: e - s], work[: e - s], gy[s:e, None]
            torch.sum(torch.mul(h[s + 1 : e + 1], gyk, out=wk), 2, out=gC[s:e])
            torch.mul(C[s:e, :, None], gyk, out=gk)  # becomes the gradient of the states
            gk[-1].addcmul_(a[e], carry)
            ctx.recurrence(a[s + 1 : e + 1], gk, -1)
            carry.copy_(gk[0])
            torch.sum(torch.mul(gk, B[s:e, :, None], out=wk), 1, out=gdtu[s:e])
            torch.sum(torch.mul(gk, dtu[s:e, None], out=wk), 2, out=gB[s:e])
            gk.mul_(a[s:e]).mul_(h[s:e])  # becomes the gradient of dt A
            torch.sum(torch.mul(gk, A, out=wk), 1, out=gdt[s:e])
            gA += torch.mul(gk, dt[s:e, None], out=wk).sum(0)
        return gdtu * dt, gdt.addcmul_(gdtu, u), gA, gB, gC, None


class Conv(torch.autograd.Function):  # causal, depthwise, x [L, D], weight [taps, D]: 3 times faster than F.conv1d
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        y = torch.addcmul(bias, x, weight[-1])
        for k in range(1, TAPS):
            y[k:].addcmul_(x[:-k], weight[-1 - k])
        return y

    @staticmethod
    def backward(ctx, gy):
        x, weight = ctx.saved_tensors
        gx, gw = gy * weight[-1], [(gy * x).sum(0)]
        for k in range(1, TAPS):
            gx[:-k].addcmul_(gy[k:], weight[-1 - k])
            gw.insert(0, (gy[k:] * x[:-k]).sum(0))
        return gx, torch.stack(gw), gy.sum(0)


class Mamba(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj = nn.Linear(WIDTH, 2 * INNER, bias=False)
        self.conv_weight, self.conv_bias = (nn.Parameter(torch.rand(s) - 0.5) for s in ((TAPS, INNER), (INNER,)))
        self.x_proj = nn.Linear(INNER, RANK + 2 * STATE, bias=False)
        self.dt_proj = nn.Linear(RANK, INNER)  # softplus(bias) is log-uniform
        self.dt_proj.bias.data.uniform_(math.log(1e-3), math.log(1e-1)).exp_().expm1_().log_()
        self.A_log = nn.Parameter(torch.arange(1.0, STATE + 1).log().repeat(INNER, 1))
        self.D = nn.Parameter(torch.ones(INNER))
        self.out_proj = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x, linear, conv, selective_scan):
        u, z = linear(x, self.in_proj.weight).split(INNER, 1)
        u = F.silu(conv(u, self.conv_weight, self.conv_bias))
        dt, B, C = linear(u, self.x_proj.weight).split((RANK, STATE, STATE), 1)
        dt = F.softplus(linear(dt, self.dt_proj.weight, self.dt_proj.bias))
        y = selective_scan(u, dt, -self.A_log.exp().t().contiguous(), B, C)
        return linear(torch.addcmul(y, u, self.D) * F.silu(z), self.out_proj.weight)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(1, WIDTH, 7, stride=4, padding=3)
        self.bn = nn.BatchNorm1d(WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS + 1))
        self.blocks = nn.ModuleList(Mamba() for _ in range(LAYERS))
        assert sum(p.numel() for p in self.parameters()) == PARAMETERS

    def forward(self, x, linear, conv, selective_scan):  # x [samples] -> tokens [L, 128]
        h = F.gelu(self.bn(linear(F.pad(x, (3, 3)).unfold(0, 7, 4), self.stem.weight[:, 0], self.stem.bias)))
        for norm, block in zip(self.norms, self.blocks):
            h = h + block(norm(h), linear, conv, selective_scan)
        return self.norms[-1](h)


LINEARS = {"blas": F.linear, "onednn": lambda x, *wb: F.linear(x.contiguous().to_mkldnn(), *wb).to_dense()}
VARIANTS = {f.__name__: lambda *t, f=f: Scan.apply(*t, f) if torch.is_grad_enabled() else scan(*t, f)[0]
            for f in (sequential, doubling, chunked)}  # most promising first


def run_ms(encoder, x, kind, linear, variant):
    encoder.train(kind == "train").zero_grad(set_to_none=True)
    start = time.perf_counter()
    with torch.inference_mode(kind == "infer"):
        y = encoder(x, LINEARS[linear], Conv.apply, VARIANTS[variant])
    if kind == "train":
        y.square().mean().backward()
    return 1e3 * (time.perf_counter() - start)


def measure():
    linear, times = {}, {(kind, variant): [] for variant in VARIANTS for kind in ("infer", "train")}
    signal.signal(signal.SIGALRM, signal.default_int_handler)  # the end of the budget interrupts like Ctrl-C
    signal.setitimer(signal.ITIMER_REAL, max(1e-3, float(os.environ[DEADLINE]) - time.monotonic()))
    with contextlib.suppress(KeyboardInterrupt):
        encoder, x = Encoder(), torch.randn(ARGS.length)
        for kind in ("infer", "train"):
            cost = {f: min(run_ms(encoder, x[:1024], kind, f, "doubling") for _ in range(3)) for f in LINEARS}
            linear[kind] = min(cost, key=cost.get)
        # A warm-up and a run of each job, then more in turns, so that a busy moment of the machine hits all jobs alike.
        for kind, variant in [job for job in times for _ in range(2)] + list(times) * (ARGS.repeat - 1):
            times[kind, variant].append(round(run_ms(encoder, x, kind, linear[kind], variant), 3))
    signal.setitimer(signal.ITIMER_REAL, 0)
    report = {"torch": torch.__version__, "threads": ARGS.threads, "length": ARGS.length, "linear": linear}
    for kind in ("infer", "train"):
        best = {variant: min(times[kind, variant][1:]) for variant in VARIANTS if times[kind, variant][1:]}
        report.update({kind + "_ms": best, kind + "_best_ms": min(best.values(), default=None)})
    return dict(report, skipped=[" ".join(job) for job, runs in times.items() if not runs[1:]])


def check():
    """All variants against the textbook form in float64: values and gradients, for 189 tokens (a block and a part)."""
    encoder, x, target = Encoder(), torch.randn(4 * 189), torch.randn(189, WIDTH)

    def textbook_scan(u, dt, A, B, C):
        h, y = torch.zeros_like(A), []
        for t in range(len(u)):
            h = torch.exp(dt[t] * A) * h + B[t][:, None] * (dt[t] * u[t])
            y.append(C[t] @ h)
        return torch.stack(y)

    def outcome(dtype, *how):
        encoder.to(dtype).zero_grad()
        y = encoder(x.to(dtype), *how)
        (y - target.to(dtype)).square().mean().backward()
        with torch.inference_mode():
            return [encoder(x.to(dtype), *how), y.detach(), *(p.grad.clone() for p in encoder.parameters())]

    truth = outcome(torch.float64, F.linear, lambda u, w, b: F.conv1d(
        u.t()[None], w.t()[:, None], b, padding=TAPS - 1, groups=INNER)[0, :, : len(u)].t(), textbook_scan)
    for name, variant in VARIANTS.items():
        for dtype, linear, limit in ("float64", "blas", 1e-10), ("float32", "blas", 1e-4), ("float32", "onednn", 1e-4):
            got = outcome(getattr(torch, dtype), LINEARS[linear], Conv.apply, variant)
            error = max(((a - b).norm() / (a.norm() + 1e-3)).item() for a, b in zip(truth, got))
            assert error < limit, (name, dtype, linear, error)
    assert torch.full((1 << 20,), 1e-30).mul(1e-10).count_nonzero() == 0, "denormals are not flushed in every thread"
    return {"check": "ok"}


torch.set_flush_denormal(True)  # before the first parallel region: its threads inherit the setting
torch.set_num_threads(ARGS.threads)
print(json.dumps(check() if ARGS.check else measure()))
