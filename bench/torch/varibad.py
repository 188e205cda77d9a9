"""VariBAD's loss of encoder and decoders, with both reward decoders, in PyTorch and float64.

    python3 bench/torch/varibad.py > rl/varibad/testdata/torch.json

The recurrent unit is PyTorch's gru_cell, the divergence torch.distributions', the Bernoulli decoder's error
binary_cross_entropy_with_logits of the head of each next observation. For every case the output has the loss, its parts
and the gradient by every parameter. Numbers are those of package benchmark; trials and noise are rounded to float32.
"""
import json
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
import torch
from torch.distributions import Normal, kl_divergence
from torch.nn import functional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from problem import normal, uniform

OBS, ACT, LATENT, EMBED, MEMORY, WIDTH = 2, 1, 2, 4, 3, 4
CELLS, LENGTHS, LONGEST = (3, 2), (5, 3), 5
HEADS = CELLS[0] * CELLS[1]
ROW = OBS + ACT + 1 + OBS
REWARD, STATE, KL = 0.7, 1.3, 0.4
torch.set_default_dtype(torch.float64)


def single(x):
    return torch.from_numpy(x.astype(numpy.float32).astype(numpy.float64))


def trial(i):
    n = LENGTHS[i]
    rows = normal(50 + i, n * ROW).reshape(n, ROW)
    rows[:, -OBS:] = numpy.floor(uniform(60 + i, n * OBS).reshape(n, OBS) * CELLS)
    return single(rows)


class Net:
    """Weights by name and in the order in which they are drawn, stored in × out as Nacre stores them."""

    def __init__(self):
        self.by_name = {}

    def draw(self, name, rows, cols):
        x = torch.from_numpy(0.5 * normal(100 + len(self.by_name), rows * cols).reshape(rows, cols))
        self.by_name[name] = x.requires_grad_()

    def layers(self, name, *sizes):
        for k, (m, n) in enumerate(zip(sizes, sizes[1:])):
            self.draw(f"{name}/w{k}", m, n)
            self.draw(f"{name}/b{k}", 1, n)

    def of(self, name):
        return self.by_name[name]

    def perceptron(self, name, x):
        k = 0
        while f"{name}/w{k}" in self.by_name:
            x = functional.linear(functional.relu(x) if k else x, self.of(f"{name}/w{k}").T, self.of(f"{name}/b{k}")[0])
            k += 1
        return x


def network(decoder, state):
    net = Net()
    net.layers("encoder/embed", ACT + 1 + OBS, EMBED)
    for name, rows in (("wx", EMBED), ("bx", 1), ("wh", MEMORY), ("bh", 1)):
        net.draw("encoder/memory/" + name, rows, 3 * MEMORY)
    net.layers("encoder/head", MEMORY, 2 * LATENT)
    if decoder == "bernoulli":
        net.layers("decoder/reward", LATENT, WIDTH, WIDTH, HEADS)
    else:
        net.layers("decoder/reward", LATENT + 2 * OBS + ACT, WIDTH, WIDTH, 1)
    if state:
        net.layers("decoder/state", LATENT + OBS + ACT, WIDTH, WIDTH, OBS)
    return net


def posteriors(net, rows):
    """One before the first transition and one after each."""
    h, out = torch.zeros(1, MEMORY), []
    cell = lambda x, h: torch.gru_cell(x, h, net.of("encoder/memory/wx").T, net.of("encoder/memory/wh").T,
                                       net.of("encoder/memory/bx")[0], net.of("encoder/memory/bh")[0])
    for t in range(len(rows) + 1):
        if t:
            h = cell(functional.relu(net.perceptron("encoder/embed", rows[t - 1:t, OBS:])), h)
        mean, log_var = net.perceptron("encoder/head", h).split(LATENT, dim=1)
        out.append(Normal(mean[0], torch.exp(0.5 * log_var[0])))
    return out


def reward_error(net, decoder, z, rows):
    r, after = rows[:, OBS + ACT], rows[:, -OBS:]
    if decoder == "squared":
        x = torch.cat([z.expand(len(rows), -1), rows[:, :OBS + ACT], after], dim=1)
        return ((net.perceptron("decoder/reward", x)[:, 0] - r) ** 2).sum()
    heads = (after[:, 0] * CELLS[1] + after[:, 1]).long()
    logits = net.perceptron("decoder/reward", z)[0]
    return functional.binary_cross_entropy_with_logits(logits[heads], (r > 0).double(), reduction="sum")


def case(decoder, state, to):
    net = network(decoder, state)
    noise = single(normal(70, len(LENGTHS) * (LONGEST + 1) * LATENT)).reshape(len(LENGTHS), LONGEST + 1, LATENT)
    standard = Normal(torch.zeros(LATENT), torch.ones(LATENT))
    parts = dict.fromkeys(("reward", "state", "kl"), torch.zeros(()))
    for i in range(len(LENGTHS)):
        rows, before = trial(i), standard
        for t, q in enumerate(posteriors(net, rows)):
            z = (q.mean + q.stddev * noise[i, t]).unsqueeze(0)
            parts["kl"] = parts["kl"] + kl_divergence(q, before).sum() / len(LENGTHS)
            parts["reward"] = parts["reward"] + reward_error(net, decoder, z, rows) / len(LENGTHS)
            if state:
                x = torch.cat([z.expand(len(rows), -1), rows[:, :OBS + ACT]], dim=1)
                off = (net.perceptron("decoder/state", x) - rows[:, -OBS:]) ** 2
                parts["state"] = parts["state"] + off.mean(dim=1).sum() / len(LENGTHS)
            before = q if to == "previous" else standard
    loss = REWARD * parts["reward"] + state * parts["state"] + KL * parts["kl"]
    names = list(net.by_name)
    gradients = torch.autograd.grad(loss, [net.of(n) for n in names])
    return {"decoder": decoder, "state_weight": state, "kl_to": to, "loss": loss.item(),
            **{k: v.item() for k, v in parts.items()},
            "gradients": {n: g.flatten().tolist() for n, g in zip(names, gradients)}}


def main():
    cases = [case("bernoulli", STATE, "previous"), case("bernoulli", 0, "standard"), case("squared", STATE, "previous")]
    lines = ",\n".join(" " + json.dumps(c) for c in cases)
    print(f'{{"program": "bench/torch/varibad.py", "torch": "{torch.__version__}", "cases": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
