"""Prints how far the package's agent is from the program's, before and after MAML's gradient step: step.py RUN FILE"""
import json
import sys

import numpy as np

import nacre_rl

agent = nacre_rl.Agent(sys.argv[1])
with open(sys.argv[2]) as f:
    program = json.load(f)
before = {name: np.array(x) for name, x in agent.tensors.items()}
adapted = agent.adapted([(t["observations"], t["actions"], t["rewards"]) for t in program["trajectories"]])
out = {"moved": 0.0}
for name, one in (("Before", agent), ("Adapted", adapted)):
    steps = program[name]
    out[name] = max(float(np.max(np.abs(one.act(s["observation"], noise=s["noise"]) - np.array(s["action"]))))
                    for s in steps)
for name, x in before.items():
    assert np.array_equal(agent.tensors[name], x), "the agent itself has changed"
    out["moved"] = max(out["moved"], float(np.max(np.abs(adapted.tensors[name] - x))))
print(json.dumps(out))
