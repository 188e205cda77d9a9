"""Runs the scripted policies of Meta-World's repository of 2020 in its own classes: what they return on ML1's test tasks.

Needs what sim/verify/testdata/ml1_2020.py needs, whose stand-in for mujoco_py it uses. From the repository root:

    python bench/table1/policies.py CHECKOUT policies.json [TASKS]

The file has, for every class with a v1 policy, the mean return and the number of successes over so many test tasks (50)
of numpy.random.seed(0), 200 steps each, after the second reset, as the families ml1-2020/... do. Actions are clipped and
not rounded; a policy is told the goal.
"""

import json
import os
import sys
import types
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "sim", "verify", "testdata"))
import ml1_2020  # noqa: E402

STEPS = 200


def episode(env, policy, task):
    """The return of one episode, and whether any of its steps was a success."""
    env.set_task(task)
    env.reset()
    obs = env.reset()
    total, success = 0.0, False
    for _ in range(STEPS):
        action = policy.get_action(np.append(obs[:9], env._target_pos))
        obs, reward, _, info = env.step(np.clip(np.asarray(action, dtype=np.float64), -1, 1))
        total, success = total + float(reward), success or bool(info["success"])
    return total, success


def main():
    checkout, out = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    warnings.filterwarnings("ignore")
    for name in ("bool", "float", "int", "object"):  # gym 0.17 asks a new NumPy for its old names
        if name not in np.__dict__:
            setattr(np, name, getattr(__builtins__, name))
    sys.path.insert(0, checkout)
    sys.modules["mujoco_py"] = ml1_2020.stand_in()
    sys.modules.setdefault("glfw", types.ModuleType("glfw"))
    import metaworld.envs.mujoco.env_dict as table

    found = {}
    for name in table.ALL_V1_ENVIRONMENTS:
        policy = ml1_2020.policy_of(name)
        if policy is None:
            continue
        tasks, _ = ml1_2020.tasks_of(name, 0)
        env = table.ALL_V1_ENVIRONMENTS[name]()
        runs = [episode(env, policy, t) for t in tasks[50 : 50 + n]]
        found[name[: -len("-v1")]] = {"return": float(np.mean([r for r, _ in runs])), "successes": sum(s for _, s in runs), "tasks": n}
        print(name, found[name[: -len("-v1")]], flush=True)
        with open(out, "w") as f:
            json.dump(found, f, indent=1)


if __name__ == "__main__":
    main()
