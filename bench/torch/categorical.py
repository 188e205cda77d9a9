"""The categorical policy of rl/onpolicy, values and derivatives, in PyTorch and float64, on numbers of package benchmark.

    python3 bench/torch/categorical.py > rl/onpolicy/testdata/torch.json

torch.distributions.Categorical and PyTorch's own derivatives are used, a distribution for each component. For every case
the output has log probability, divergence and entropy of each row, the gradients of their sums by the logits, and the
product of the divergence's Hessian with a vector where both policies agree, as a trust region step needs it.
"""
import json
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
import torch
from torch.distributions import Categorical, kl_divergence

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from problem import normal, uniform

ROWS = 6
torch.set_default_dtype(torch.float64)


def draw(stream, rows, cols, scale=1.0):
    return torch.from_numpy(scale * normal(stream, rows * cols).reshape(rows, cols))


def case(choices, scale):
    n = sum(choices)
    p, q = (draw(s, ROWS, n, scale).requires_grad_() for s in (1, 2))
    v = draw(3, ROWS, n)
    taken = [torch.from_numpy((uniform(10 + k, ROWS) * c).astype(numpy.int64)) for k, c in enumerate(choices)]
    parts = lambda x: [Categorical(logits=part) for part in torch.split(x, list(choices), dim=1)]
    log_prob = sum(d.log_prob(a) for d, a in zip(parts(p), taken))
    kl = sum(kl_divergence(a, b) for a, b in zip(parts(p), parts(q)))
    entropy = sum(d.entropy() for d in parts(p))
    grad = lambda f, *xs: [g.flatten().tolist() for g in torch.autograd.grad(f.sum(), xs, retain_graph=True)]
    same = sum(kl_divergence(a, b) for a, b in zip(parts(p.detach()), parts(p))).sum()
    first = torch.autograd.grad(same, p, create_graph=True)[0]
    product = torch.autograd.grad((first * v).sum(), p)[0]
    return {"choices": list(choices), "scale": scale, "taken": [a.tolist() for a in taken],
            "log_prob": log_prob.tolist(), "kl": kl.tolist(), "entropy": entropy.tolist(),
            "d/log_prob": grad(log_prob, p)[0], "d/kl": grad(kl, p)[0], "d/kl/q": grad(kl, q)[0],
            "d/entropy": grad(entropy, p)[0], "product": product.flatten().tolist()}


def main():
    cases = [case((5,), 1.0), case((3, 2), 1.0), case((2, 4, 3), 6.0), case((50,), 2.0)]
    lines = ",\n".join(" " + json.dumps(c) for c in cases)
    print(f'{{"program": "bench/torch/categorical.py", "torch": "{torch.__version__}", "cases": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
