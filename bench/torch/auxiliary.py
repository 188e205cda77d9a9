"""The losses of rl/auxiliary, values and gradients, in PyTorch and float64, on numbers of package benchmark.

    python3 bench/torch/auxiliary.py > rl/auxiliary/losses/testdata/torch.json

Written from the equations: pairs are looped over, PyTorch's own cross-entropy and derivatives are used. For every case the
output has the loss with its weight, its gradient by the embeddings, and by each parameter that learns.
"""
import json
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from problem import normal, uniform

SLOTS, TRAIN, SIZE, OBS, ACT, ROWS, HIDDEN = 5, 4, 3, 2, 2, 6, 7
TASKS = [2, 0, 3, 2, 0]
ROW = OBS + ACT + 1
SHORT = 2  # the last rows of slot 1 that its window lacks
torch.set_default_dtype(torch.float64)


def draw(stream, *shape, scale=1.0):
    return torch.from_numpy(scale * normal(stream, int(numpy.prod(shape))).reshape(shape))


def weights():
    w = torch.ones(SLOTS, ROWS)
    w[1, ROWS - SHORT:] = 0
    return w


def network(stream, sizes):
    """Weights and biases of a perceptron, those of layer l from streams stream+2l and stream+2l+1."""
    out = []
    for l, (n, m) in enumerate(zip(sizes, sizes[1:])):
        out += [draw(stream + 2 * l, n, m, scale=0.5), draw(stream + 2 * l + 1, 1, m, scale=0.5)]
    return [p.requires_grad_() for p in out]


def apply(params, x):
    for l in range(0, len(params), 2):
        x = x @ params[l] + params[l + 1]
        if l < len(params) - 2:
            x = torch.relu(x)
    return x


def focal(z, form="code", power=2.0, beta=1.0, epsilon=0.1, bounded=False):
    if bounded:
        z = torch.tanh(z)
    positive, negative, same, other = 0.0, 0.0, 0, 0
    for i in range(SLOTS):
        for j in range(i + 1, SLOTS):
            square = ((z[i] - z[j]) ** 2).sum()
            if form == "code":
                square = square / SIZE
            if TASKS[i] == TASKS[j]:
                positive, same = positive + (torch.sqrt(square + 1e-3) if form == "code" else square), same + 1
            else:
                negative, other = negative + beta / (square ** (power / 2) + epsilon), other + 1
    return positive / (same + 1e-3) + negative / (other + 1e-3)


def encode(params, context, weight):
    """Posterior means of contexts: the product of Gaussians of a linear encoder's rows."""
    h = context @ params[0] + params[1]
    mean, precision = h[..., :SIZE], weight[..., None] / F.softplus(h[..., SIZE:]).clamp_min(1e-7)
    return (precision * mean).sum(1) / precision.sum(1)


def infonce(z, k, similarity, temperature, w=None, mask=False):
    if similarity == "cosine":
        unit = lambda x: x / torch.sqrt((x ** 2).sum(1, keepdim=True) + 1e-8)
        logits = unit(z) @ unit(k).T
    elif similarity == "distance":
        logits = -((z[:, None] - k[None]) ** 2).sum(2)
    else:
        logits = z @ w @ k.T
    logits = logits / temperature
    if mask:
        other = torch.tensor([[i != j and a == b for j, b in enumerate(TASKS)] for i, a in enumerate(TASKS)])
        logits = logits.masked_fill(other, -float("inf"))
    return F.cross_entropy(logits, torch.arange(SLOTS))


def reconstruction(z, rows, decoders, gaussian):
    """decoders: (columns of (o, a, r, o'), whether they are a difference, network, least and most log variance)."""
    x, w, total = rows[..., :OBS + ACT], weights(), 0.0
    seen = torch.cat([z[:, None].expand(SLOTS, ROWS, SIZE), x], 2)
    for (a, b), difference, net, bounds in decoders:
        y, target, n = apply(net, seen), rows[..., a:b], b - a
        if difference:
            target = target - rows[..., :OBS]
        error = (y[..., :n] - target) ** 2
        if gaussian:
            low, high = bounds
            v = high - F.softplus(high - y[..., n:])
            v = low + F.softplus(v - low)
            error = error * torch.exp(-v) + v
            total = total + 0.01 * (high.sum() - low.sum())
        total = total + error[w > 0].mean()
    return total


def decoders(gaussian, targets):
    out = []
    for stream, name, columns in ((300, "reward", (OBS + ACT, ROW)), (320, "next_observation", (ROW, ROW + OBS))):
        if targets not in ("both", name):
            continue
        n = columns[1] - columns[0]
        net = network(stream, [SIZE + OBS + ACT, HIDDEN, HIDDEN, 2 * n if gaussian else n])
        bounds = (torch.full((1, n), -10.0, requires_grad=True), torch.full((1, n), 0.5, requires_grad=True))
        out.append((name, (columns, name != "reward", net, bounds)))
    return out


def named(prefix, net):
    return {f"{prefix}/{'wb'[i % 2]}{i // 2}": p for i, p in enumerate(net)}


def case(loss, z, params):
    names = list(params)
    grads = torch.autograd.grad(loss, [z] + [params[n] for n in names])
    flat = [g.flatten().tolist() for g in grads]
    return {"loss": loss.item(), "z": flat[0], "params": dict(zip(names, flat[1:]))}


def main():
    z = draw(1, SLOTS, SIZE).requires_grad_()
    rows = draw(2, SLOTS, ROWS, ROW + OBS)
    key = draw(3, SLOTS, ROWS, ROW)
    cases = {}
    for name, options in {"focal": {}, "focal/paper": {"form": "paper"}, "focal/power": {"power": 1.0, "beta": 0.5},
                          "focal/bounded": {"bounded": True, "epsilon": 0.02}}.items():
        cases[name] = case(2 * focal(z, **options), z, {})
    encoder = network(100, [ROW, 2 * SIZE])
    for name, options in {"infonce": {"similarity": "cosine", "temperature": 0.1},
                          "infonce/distance": {"similarity": "distance", "temperature": 1.0, "mask": True}}.items():
        cases[name] = case(2 * infonce(z, encode(encoder, key, weights()).detach(), **options), z, {})
    w = draw(200, SIZE, SIZE).requires_grad_()
    cases["infonce/bilinear"] = case(2 * infonce(z, encode(encoder, key, weights()), "bilinear", 1.0, w), z,
                                     {"infonce/w": w, **named("encoder", encoder)})
    net = network(210, [SIZE, HIDDEN, TRAIN])
    cases["classifier"] = case(2 * F.cross_entropy(apply(net, z), torch.tensor(TASKS)), z, named("classifier", net))
    for name, gaussian, targets in (("reconstruction", True, "both"), ("reconstruction/squared", False, "reward"),
                                    ("unicorn", True, "both")):
        parts = decoders(gaussian, targets)
        loss, params = reconstruction(z, rows, [d for _, d in parts], gaussian), {}
        if name == "unicorn":
            loss = loss + 0.15 * focal(z)
        for part, (_, _, net, (low, high)) in parts:
            prefix = "reconstruction/" + part
            params.update(named(prefix, net))
            if gaussian:
                params.update({prefix + "/least": low, prefix + "/most": high})
        cases[name] = case(2 * loss, z, params)
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(figures)}" for name, figures in cases.items())
    print(f'{{"program": "bench/torch/auxiliary.py", "torch": "{torch.__version__}", "cases": {{\n{lines}\n}}}}')


if __name__ == "__main__":
    main()
