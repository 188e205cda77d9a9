"""Saves networks as PEARL's published code does, and reads them into a run folder: oyster.py FOLDER RUN

Prints how far the run's agent is from these networks, computed here by PyTorch.
"""
import json
import os
import sys

import numpy as np
import torch
from torch.nn import functional as F

import nacre_rl

OBSERVATION, ACTION, LATENT, HIDDEN = 2, 2, 3, 11
torch.manual_seed(1)


class Network(torch.nn.Module):
    def __init__(self, inputs, outputs, hidden, depth, gaussian=False):
        super().__init__()
        self.fcs = []
        for i in range(depth):
            layer = torch.nn.Linear(inputs if i == 0 else hidden, hidden)
            setattr(self, "fc%d" % i, layer)
            self.fcs.append(layer)
        self.last_fc = torch.nn.Linear(hidden, outputs)
        if gaussian:
            self.last_fc_log_std = torch.nn.Linear(hidden, outputs)

    def forward(self, x):
        for layer in self.fcs:
            x = F.relu(layer(x))
        return x

    def __call__(self, x):
        return self.last_fc(self.forward(x))


o, a, z = OBSERVATION, ACTION, LATENT
networks = {
    "policy": Network(o + z, a, HIDDEN, 2, True), "context_encoder": Network(o + a + 1, 2 * z, 7, 3),
    "qf1": Network(o + a + z, 1, HIDDEN, 2), "qf2": Network(o + a + z, 1, HIDDEN, 2),
    "vf": Network(o + z, 1, HIDDEN, 2), "target_vf": Network(o + z, 1, HIDDEN, 2)}
source, out = sys.argv[1:]
for name, network in networks.items():
    torch.save(network.state_dict(), os.path.join(source, name + ".pth"))
with open(os.path.join(source, "variant.json"), "w") as f:
    json.dump({"n_train_tasks": 4, "n_eval_tasks": 2, "algo_params": {"reward_scale": 100.0, "kl_lambda": 0.5,
                                                                      "use_information_bottleneck": True}}, f)
made = nacre_rl.from_oyster(source, out, "point-goal", settings={"seed": 3, "evaluation.protocol.repeats": 1})
agent, run = nacre_rl.Run(made).agent(), nacre_rl.Run(made)
assert run.config["pearl"]["reward_scale"] == 100 and run.config["test_tasks"] == 2 and run.state == "unknown"
context, observations = torch.randn(50, o + a + 1), torch.randn(20, o)
with torch.no_grad():
    mean, raw = networks["context_encoder"](context).split(z, 1)
    var = 1 / (1 / F.softplus(raw).clamp(min=1e-7)).sum(0)
    mean = var * (mean / F.softplus(raw).clamp(min=1e-7)).sum(0)
    x = torch.cat([observations, mean.expand(20, z)], 1)
    action = torch.tanh(networks["policy"](x))
    log_std = networks["policy"].last_fc_log_std(networks["policy"].forward(x))
    noise = torch.randn(20, a)
    sampled = torch.tanh(networks["policy"](x) + log_std.clamp(-20, 2).exp() * noise)
got = agent.posterior(context.numpy())
worst = max(float(np.abs(g - w.numpy()).max()) for g, w in [
    (got[0], mean), (got[1], var), (agent.act(observations.numpy(), got[0]), action),
    (agent.act(observations.numpy(), got[0], noise.numpy()), sampled)])


def said(do):
    try:
        do()
    except nacre_rl.NacreError as e:
        return str(e)
    return "nothing"


def changed(name, value, **more):
    """from_oyster with one file that holds something else."""
    path, other = os.path.join(source, "other.pth"), os.path.join(source, "bad")
    torch.save(value, path)
    return said(lambda: nacre_rl.from_oyster(source, other, "point-goal", files={name: "other.pth"}, **more))


good = networks["qf1"].state_dict()
narrow, wide = Network(o + z, 1, HIDDEN, 2).state_dict(), Network(o + a + z, 1, 99, 2).state_dict()
sequential = torch.nn.Sequential(torch.nn.Linear(o + a + z, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, HIDDEN),
                                 torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)).state_dict()
assert changed("q1", sequential, layers={"q1": ["0", "2", "4"]}) == "nothing", "others' layers by a mapping"
torch.save({"nets": {"q": good}, "step": 7}, os.path.join(source, "whole.pth"))
print(json.dumps({"difference": worst, "size": float(action.abs().max()), "said": [
    said(lambda: nacre_rl.from_oyster(source, out, "point-goal")),
    said(lambda: nacre_rl.from_oyster(source, "x", "point-goal", files={"q1": "nowhere.pth"})),
    said(lambda: nacre_rl.from_oyster(source, "x", "point-goal", files={"q3": "qf1.pth"})),
    said(lambda: nacre_rl.from_oyster(source, "x", "point-goal", files={"q1": ("whole.pth", "net")})),
    said(lambda: nacre_rl.from_oyster(source, "x", "point-goal", files={"q1": ("whole.pth", "nets")})),
    changed("q1", sequential), changed("q1", dict(good, **{"norm.weight": torch.ones(3)})), changed("q1", narrow),
    changed("q1", wide), changed("q1", {n: x * float("nan") for n, x in good.items()}), changed("q1", [1, 2]),
    changed("q1", networks["qf1"])]}))
assert not os.path.exists("x")
