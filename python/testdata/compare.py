"""Prints how far the package's posteriors and actions are from those that the program gave, as JSON."""
import json
import sys

import numpy as np

import nacre_rl

agent = nacre_rl.Agent(sys.argv[1])
with open(sys.argv[2]) as f:
    program = json.load(f)
out = {"posterior": 0.0, "action": 0.0, "size": 0.0, "context": 0.0}


def worst(what, ours, theirs, scale=1.0):
    out[what] = max(out[what], float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs)) / scale)))


for of in program["beliefs"] or []:
    context = np.array(of["context"], "f4").reshape(-1, agent.context_width)
    mean, var = agent.posterior(context)
    worst("posterior", mean, of["mean"], 1 + np.abs(of["mean"]))
    worst("posterior", var, of["var"], np.array(of["var"]))
for of in program["steps"]:
    noise = of["noise"] if of["noise"] else None
    action = agent.act(of["observation"], of["condition"], noise)
    worst("action", action, of["action"])
    out["size"] = max(out["size"], float(np.max(np.abs(action))))
    many = agent.act(np.array([of["observation"]] * 3), of["condition"], noise)
    worst("action", many, [action] * 3)
trajectory = program.get("trajectory")
if trajectory:
    rows = agent.context(trajectory["observations"], trajectory["actions"], trajectory["rewards"])
    worst("context", rows, np.array(trajectory["context"], "f4").reshape(rows.shape))
print(json.dumps(out))
