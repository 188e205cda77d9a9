"""ContraBAR's loss (rl/varibad/contrast.go), value and gradients, in PyTorch and float64, on numbers of package rng.

    python3 bench/torch/contrabar.py > rl/varibad/testdata/contrast.json

Written from the equation: trials, times and look-aheads are looped over, and PyTorch's own cross-entropy and
derivatives are used. The output has the loss, the share of transitions found, and the gradients by the beliefs and by
each parameter.
"""
import json
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from problem import normal

TRIALS, STEPS, BELIEF, ROW, EMBED, AHEAD = 4, 6, 4, 5, 3, 3
LENGTHS = [6, 3, 6, 5]  # transitions of each trial
torch.set_default_dtype(torch.float64)


def draw(stream, *shape, scale=1.0):
    x = torch.from_numpy(scale * normal(stream, int(numpy.prod(shape))).reshape(shape))
    return x.requires_grad_()


def main():
    beliefs, rows = draw(1, STEPS, TRIALS, BELIEF), draw(2, STEPS, TRIALS, ROW)
    names = ["contrast/embed"] + [f"contrast/ahead{k + 1}" for k in range(AHEAD)]
    params = {}
    for i, name in enumerate(names):
        n = ROW if i == 0 else BELIEF
        params[name + "/w0"], params[name + "/b0"] = draw(10 + 2 * i, n, EMBED, scale=0.5), draw(11 + 2 * i, 1, EMBED,
                                                                                                 scale=0.5)
    linear = lambda name, x: x @ params[name + "/w0"] + params[name + "/b0"][0]
    losses, found = [], []
    for t in range(STEPS):  # a belief after t + 1 transitions
        for k in range(1, AHEAD + 1):
            if t + k >= STEPS:
                continue
            there = [j for j in range(TRIALS) if LENGTHS[j] > t + k]
            z = torch.stack([linear("contrast/embed", rows[t + k, j]) for j in there])
            for place, i in enumerate(there):
                scores = z @ linear(f"contrast/ahead{k}", beliefs[t, i])
                losses.append(F.cross_entropy(scores[None], torch.tensor([place])))
                found.append(float(torch.softmax(scores, 0)[place] > 0.5))
    loss = torch.stack(losses).mean()
    wrt = list(params)
    grads = torch.autograd.grad(loss, [beliefs] + [params[n] for n in wrt])
    flat = [g.flatten().tolist() for g in grads]
    print(json.dumps({"program": "bench/torch/contrabar.py", "torch": torch.__version__, "loss": loss.item(),
                      "right": float(numpy.mean(found)), "beliefs": flat[0],
                      "params": dict(zip(wrt, flat[1:]))}, indent=0))


if __name__ == "__main__":
    main()
