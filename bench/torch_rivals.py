#!/usr/bin/python3
"""Training steps of the rivals in plain PyTorch on a CPU: what bench_rivals is compared with.

The same networks, losses and AdamW as ours, written with torch.nn as one would. Settings as in torch_baseline.py. Prints
one JSON object: the best time in ms of a step on one batch, per method.

python3 torch_rivals.py CHANNELS LENGTH BATCH THREADS METHOD…
"""
import json, os, sys, time

if "CMR_BASELINE" not in os.environ:
    flags = open("/proc/cpuinfo", encoding="utf-8", errors="replace").read().split()
    env = {"OMP_WAIT_POLICY": "PASSIVE", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
    if "avx2" in flags:
        env["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in flags else "Haswell"
    env.update(os.environ, OMP_NUM_THREADS=sys.argv[4], OPENBLAS_NUM_THREADS=sys.argv[4], CMR_BASELINE="1")
    os.execve(sys.executable, [sys.executable, *sys.argv], env)

import torch  # noqa: E402

F, nn = torch.nn.functional, torch.nn
C, LENGTH, BATCH = (int(v) for v in sys.argv[1:4])
torch.set_num_threads(int(sys.argv[4]))
torch.set_flush_denormal(True)
D, WIDTH, HEADS = min(max(2 * C, 8), 64), 128, 8


def encoder(out, learned=True):
    layers, sizes = [], [C, 64, 128, out]
    for i in range(3):
        layers.append(nn.Conv1d(sizes[i], sizes[i + 1], 4, 2, 1, bias=learned))
        if i < 2:
            layers += [nn.BatchNorm1d(sizes[i + 1], affine=learned), nn.GELU()]
    return nn.Sequential(*layers)


def decoder(last):
    layers, sizes = [], [D, 128, 64, C]
    for i in range(3):
        layers.append(nn.ConvTranspose1d(sizes[i], sizes[i + 1], 4, 2, 1))
        if i < 2:
            layers += [nn.BatchNorm1d(sizes[i + 1]), nn.GELU()]
    return nn.Sequential(*layers, last)


def adam(*modules):
    return torch.optim.AdamW([p for m in modules for p in m.parameters()], 1e-3)


def one_step(optimiser, loss):
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(optimiser.param_groups[0]["params"], 1.0)
    optimiser.step()


def ae():
    e, d = encoder(D), decoder(nn.Identity())
    o = adam(e, d)
    return lambda x: one_step(o, F.mse_loss(d(e(x)), x))


def vae():
    e, d = encoder(2 * D), decoder(nn.Identity())
    o = adam(e, d)

    def step(x):
        mean, log_variance = e(x).chunk(2, 1)
        z = mean + (0.5 * log_variance).exp() * torch.randn_like(mean)
        kl = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum() / x.numel()
        one_step(o, 0.5 * F.mse_loss(d(z), x) + kl)

    return step


def usad():
    e, d1, d2 = encoder(D), decoder(nn.Sigmoid()), decoder(nn.Sigmoid())
    o1, o2 = adam(e, d1), adam(e, d2)

    def step(x):
        x = x / 8 + 0.5
        first = d1(e(x))
        one_step(o1, 0.5 * F.mse_loss(first, x) + 0.5 * F.mse_loss(d2(e(first)), x))
        z = e(x)
        one_step(o2, 0.5 * F.mse_loss(d2(z), x) - 0.5 * F.mse_loss(d2(e(d1(z))), x))

    return step


def svdd():
    e = encoder(32, False)
    o = adam(e)
    return lambda x: one_step(o, (e(x).mean(2) - 0.1).square().sum(1).mean())


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o, self.f1, self.f2 = (nn.Linear(WIDTH, WIDTH) for _ in range(6))
        self.s, self.n1, self.n2 = nn.Linear(WIDTH, HEADS), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, h, away):
        n, t, _ = h.shape
        split = lambda v: v.view(n, t, HEADS, -1).transpose(1, 2)
        q, k, v = split(self.q(h)), split(self.k(h)), split(self.v(h))
        series = torch.softmax(q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5, -1)
        sigma = 3 ** (torch.sigmoid(5 * self.s(h)) + 1e-5) - 1
        prior = torch.softmax(-away / (2 * sigma.transpose(1, 2).unsqueeze(3) ** 2), -1)
        kl = lambda a, b: (a * ((a + 1e-4).log() - (b + 1e-4).log())).sum(-1).mean()
        apart = lambda a, b: kl(a, b) + kl(b, a)
        h = self.n1(h + self.o((series @ v).transpose(1, 2).reshape(n, t, WIDTH)))
        h = self.n2(h + self.f2(F.gelu(self.f1(h))))
        return h, apart(series, prior.detach()), apart(series.detach(), prior)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Conv1d(C, WIDTH, 7, 1, 3, bias=False), nn.LayerNorm(WIDTH)
        self.layers, self.out = nn.ModuleList(Layer() for _ in range(3)), nn.Linear(WIDTH, C)
        at = torch.arange(LENGTH, dtype=torch.float32)
        self.away = (at[:, None] - at) ** 2

    def forward(self, x):
        h, series, prior = self.embed(x).transpose(1, 2), 0, 0
        for layer in self.layers:
            h, s, p = layer(h, self.away)
            series, prior = series + s / 3, prior + p / 3
        return self.out(self.norm(h)).transpose(1, 2), series, prior


def transformer():
    m = Transformer()
    o = adam(m)

    def step(x):
        rebuilt, series, prior = m(x)
        one_step(o, 2 * F.mse_loss(rebuilt, x) + 3 * (prior - series))

    return step


METHODS = {"ae": ae, "vae": vae, "usad": usad, "svdd": svdd, "anomaly-transformer": transformer}
torch.manual_seed(1)
x, found = torch.randn(BATCH, C, LENGTH), {}
for name in sys.argv[5:]:
    step, times, begin = METHODS[name](), [], time.monotonic()
    step(x)
    while len(times) < 5 or time.monotonic() - begin < 2:
        start = time.perf_counter()
        step(x)
        times.append(time.perf_counter() - start)
    found[name] = 1000 * min(times)
print(json.dumps(found))
