"""The rivals once more, in NumPy and float64, from their formulas: losses and native scores of a model file.

python3 rivals.py MODEL WINDOWS.npy EPOCH PHASE  →  one number per line: the loss with batch moments, the loss with
running moments, then the native score of each window. The variational autoencoder's loss with batch moments depends on
its draws and is not printed ("-").
"""
import json, struct, sys
import numpy as np
from math import erf


def read(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    header, tensors = json.loads(data[8 : 8 + n]), {}
    for name, t in header.items():
        if name != "__metadata__":
            a, b = t["data_offsets"]
            tensors[name] = np.frombuffer(data[8 + n + a : 8 + n + b], "<f4").astype(float).reshape(t["shape"])
    return json.loads(header["__metadata__"]["config"]), tensors


config, T = read(sys.argv[1])
windows = np.load(sys.argv[2]).astype(float)  # [n, channels, length]
epoch, phase = int(sys.argv[3]), int(sys.argv[4])
x = windows.transpose(0, 2, 1)
n, length, channels = x.shape
gelu = lambda v: 0.5 * v * (1 + np.vectorize(erf)(v / np.sqrt(2)))
sigmoid = lambda v: 1 / (1 + np.exp(-v))
softmax = lambda v: np.exp(v - v.max(-1, keepdims=True)) / np.exp(v - v.max(-1, keepdims=True)).sum(-1, keepdims=True)


def conv(v, weight, bias, stride, left, right):  # weight [out, in, taps]
    v = np.pad(v, ((0, 0), (left, right), (0, 0)))
    taps = weight.shape[2]
    rows = range(0, v.shape[1] - taps + 1, stride)
    out = np.stack([np.einsum("nji,oij->no", v[:, t : t + taps], weight) for t in rows], 1)
    return out if bias is None else out + bias


def up(v, weight, bias):  # weight [in, out, 4], stride 2, one sample cut at both ends
    out = np.zeros((v.shape[0], 2 * v.shape[1] + 2, weight.shape[1]))
    for t in range(v.shape[1]):
        out[:, 2 * t : 2 * t + 4] += np.einsum("ni,ioj->njo", v[:, t], weight)
    return out[:, 1:-1] + bias


def norm(v, name, batch):
    mean = v.mean((0, 1)) if batch else T[name + ".running_mean"]
    variance = v.var((0, 1)) if batch else T[name + ".running_variance"]
    v = (v - mean) / np.sqrt(variance + 1e-5)
    return gelu(v * T[name + ".weight"] + T[name + ".bias"] if name + ".weight" in T else v)


def encoder(v, batch):
    for i in (1, 2, 3):
        name = f"encoder.conv{i}"
        v = conv(v, T[name + ".weight"], T.get(name + ".bias"), 2, 1, 1 + v.shape[1] % 2)
        if i < 3:
            v = norm(v, name + ".norm", batch)
    return v


def decoder(v, which, batch):
    for i in (1, 2, 3):
        v = up(v, T[f"{which}.up{i}.weight"], T[f"{which}.up{i}.bias"])
        if i < 3:
            v = norm(v, f"{which}.up{i}.norm", batch)
    return v[:, :length]


square = lambda a, b: ((a - b) ** 2).mean()
per_window = lambda a, b: ((a - b) ** 2).mean((1, 2))


def ae(batch):
    decoded = decoder(encoder(x, batch), "decoder", batch)
    return square(decoded, x), per_window(decoded, x)


def vae(batch):
    both = encoder(x, batch)
    mean, log_variance = np.split(both, 2, 2)
    decoded = decoder(mean, "decoder", batch)
    divergence = 0.5 * (mean**2 + np.exp(log_variance) - 1 - log_variance).sum()
    return 0.5 * square(decoded, x) + divergence / x.size, per_window(decoded, x)


def usad(batch):
    u = x / 8 + 0.5
    z = encoder(u, batch)
    first = sigmoid(decoder(z, "decoder1", batch))
    second = sigmoid(decoder(encoder(first, batch), "decoder2", batch))
    share = 1 / epoch
    if phase == 0:
        loss = share * square(u, first) + (1 - share) * square(u, second)
    else:
        loss = share * square(u, sigmoid(decoder(z, "decoder2", batch))) - (1 - share) * square(u, second)
    return loss, 0.5 * per_window(u, first) + 0.5 * per_window(u, second)


def svdd(batch):
    distance = ((encoder(x, batch).mean(1) - T["centre"]) ** 2).sum(1)
    return distance.mean(), distance


def layer_norm(v, name):
    v = (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-5)
    return v * T[name + ".weight"] + T[name + ".bias"]


def transformer(batch):
    linear = lambda v, name: v @ T[name + ".weight"].T + T[name + ".bias"]
    stride = config["stem_stride"] if length > 512 else 1
    kernel = T["embedding.weight"].shape[2]
    right = kernel // 2 + (stride - length % stride) % stride
    h = conv(x, T["embedding.weight"], None, stride, kernel // 2, right)
    tokens, width = h.shape[1:]
    angle = np.arange(tokens)[:, None] * 10000.0 ** (-(np.arange(width) // 2 * 2) / width)
    h = h + np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))
    away = (np.arange(tokens)[:, None] - np.arange(tokens)) ** 2
    apart = np.zeros((n, tokens))
    layers = 1 + max(int(k.split(".")[1]) for k in T if k.startswith("layers."))
    for i in range(layers):
        at = f"layers.{i}."
        heads = T[at + "sigma.weight"].shape[0]
        split = lambda v: v.reshape(n, tokens, heads, -1).transpose(0, 2, 1, 3)
        q, k, v = (split(linear(h, at + name)) for name in ("query", "key", "value"))
        series = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(width / heads))
        sigma = 3.0 ** (sigmoid(5 * linear(h, at + "sigma")) + 1e-5) - 1
        gauss = np.exp(-away / (2 * sigma.transpose(0, 2, 1)[..., None] ** 2))
        prior = gauss / gauss.sum(-1, keepdims=True)
        kl = lambda a, b: (a * (np.log(a + 1e-4) - np.log(b + 1e-4))).sum(-1)
        apart += (kl(prior, series) + kl(series, prior)).mean(1) / layers
        mixed = (series @ v).transpose(0, 2, 1, 3).reshape(n, tokens, width)
        h = layer_norm(h + linear(mixed, at + "out"), at + "norm1")
        h = layer_norm(h + linear(gelu(linear(h, at + "feed1")), at + "feed2"), at + "norm2")
    h = layer_norm(h, "norm")
    rebuilt = linear(h, "output").reshape(n, tokens, config["stem_stride"], channels)[:, :, :stride]
    rebuilt = rebuilt.reshape(n, tokens * stride, channels)[:, :length]
    weight = np.repeat(softmax(-50 * apart), stride, 1)[:, :length] / stride
    # The game's two sides have the same value and cancel; their gradients do not.
    return 2 * square(rebuilt, x), (weight * ((rebuilt - x) ** 2).mean(2)).sum(1)


method = config["method"]
run = {"ae": ae, "vae": vae, "usad": usad, "svdd": svdd, "anomaly-transformer": transformer}[method]
loss, _ = run(True)
print("-" if method == "vae" else repr(float(loss)))
loss, native = run(False)
print(repr(float(loss)))
for value in native:
    print(repr(float(value)))
