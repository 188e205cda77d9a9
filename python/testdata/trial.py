"""Prints how far the package's trials and beliefs are from those that the program gave, as JSON."""
import json
import sys

import numpy as np

import nacre_rl

agent = nacre_rl.Agent(sys.argv[1])
with open(sys.argv[2]) as f:
    program = json.load(f)
out = {"posterior": 0.0, "action": 0.0, "size": 0.0}


def worst(what, ours, theirs):
    out[what] = max(out[what], float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs)))))


for moments in program["trials"]:
    trial = agent.trial()
    for m in moments:
        action = trial.act(m["observation"], m["noise"])
        worst("action", action, m["action"])
        out["size"] = max(out["size"], float(np.max(np.abs(action))))
        before = trial.copy()
        trial.see(m["reward"], m["next"], m["done"])
        assert before._action is not None, "a copy goes its own way"
for of in program["beliefs"] or []:
    mean, var = agent.posterior(np.array(of["context"], "f4").reshape(-1, agent.context_width))
    worst("posterior", mean, of["mean"])
    worst("posterior", var / of["var"], 1)
print(json.dumps(out))
