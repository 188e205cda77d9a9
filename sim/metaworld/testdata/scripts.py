"""Dumps what Meta-World's own scripted policies do, which the controllers of package metaworld are compared with.

Needs: metaworld==3.1.1 (which brings mujoco==3.3.0) and numpy. From the repository root, about ten minutes:

    python sim/metaworld/testdata/scripts.py sim/metaworld/testdata/scripts.npz
    python sim/metaworld/testdata/scripts.py other.npz --seed 7 --tasks 50 [FAMILY ...]

Episodes have 200 steps, reward function v1, and the first test tasks of ML1(family, seed). Policies are given the goal,
which the observation hides (told), or in its place the middle of the box that goals are drawn from (blind; the same
episodes where nothing is hidden from the policy). With F families, K tasks and S kept steps the file holds

    names           [F, bytes]  families, filled with zeros
    hidden          [F]         uint8, whether the policy reads a goal that the observation does not show
    seed            [1]
    obs             [F, S, 18]  every 5th step of the first told episode: hand, gripper, objects
    goal            [F, S, 3]   what the policy was told then
    act             [F, S, 4]   what it did, within [-1, 1]
    success         [F, 2, K]   uint8, at any step; told, blind
    returns         [F, 2, K]
"""

import argparse
import os
import pickle
import warnings

import metaworld
import numpy as np
from metaworld.env_dict import ALL_V3_ENVIRONMENTS
from metaworld.policies import ENV_POLICY_MAP

# Policies that read a goal which is drawn by itself. Those of door-close, sweep and sweep-into read one that is where the
# object starts, or always the same.
HIDDEN = """assembly basketball box-close coffee-pull coffee-push hand-insert peg-insert-side pick-out-of-hole pick-place
    pick-place-wall plate-slide push push-back push-wall reach reach-wall shelf-place soccer stick-pull stick-push""".split()


def episode(env, policy, goal, kept=None):
    obs = env.reset()[0]
    goal = env._target_pos if goal is None else goal
    success, total = False, 0.0
    for t in range(200):
        seen = obs.copy()
        seen[36:] = goal
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            act = np.clip(np.asarray(policy.get_action(seen.copy()), dtype=np.float64), -1, 1)
        if kept is not None and t % 5 == 0:
            kept.append((obs[:18].copy(), np.array(goal), act))
        obs, reward, _, _, info = env.step(act)
        success, total = success or bool(info["success"]), total + float(reward)
    return success, total, np.array(env._target_pos, dtype=np.float64)


def middle(env, vectors, targets):
    """The goal in the middle of its box: a height that all tasks have is not drawn."""
    space = env._random_reset_space
    goal = ((space.low + space.high) / 2)[3:].astype(np.float64)
    off = (targets - vectors[:, 3:]).mean(0)
    for j in range(3):
        goal[j] = targets[0, j] if np.ptp(targets[:, j]) == 0 else goal[j] + off[j]
    return goal


def family(name, seed, tasks):
    chosen = metaworld.ML1(name, seed=seed).test_tasks[:tasks]
    policy, told, kept = ENV_POLICY_MAP[name](), [], []
    env = ALL_V3_ENVIRONMENTS[name](reward_function_version="v1")
    for k, task in enumerate(chosen):
        env.set_task(task)
        told.append(episode(env, policy, None, kept if k == 0 else None))
    hidden = name.removesuffix("-v3") in HIDDEN
    blind = told
    if hidden:
        goal = middle(env, np.array([pickle.loads(t.data)["rand_vec"] for t in chosen]), np.array([t[2] for t in told]))
        blind = []
        for task in chosen:
            env.set_task(task)
            blind.append(episode(env, policy, goal))
    env.close()
    both = (told, blind)
    return {
        "hidden": np.uint8(hidden), "obs": np.array([k[0] for k in kept]), "goal": np.array([k[1] for k in kept], dtype=np.float64),
        "act": np.array([k[2] for k in kept]),
        "success": np.array([[r[0] for r in part] for part in both], dtype=np.uint8),
        "returns": np.array([[r[1] for r in part] for part in both]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("families", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=10)
    args = parser.parse_intermixed_args()
    names, rows = [], []
    for name in [n.removesuffix("-v3") + "-v3" for n in args.families] or ALL_V3_ENVIRONMENTS:
        row = family(name, args.seed, args.tasks)
        names.append(name.removesuffix("-v3"))
        rows.append(row)
        print(f"{names[-1]:28} success {row['success'].mean(1)}, return {row['returns'].mean(1)}", flush=True)
    width = max(map(len, names))
    np.savez_compressed(args.file, seed=np.array([args.seed]), names=np.array([list(n.encode().ljust(width, b"\0")) for n in names], dtype=np.uint8),
                        **{k: np.array([r[k] for r in rows]) for k in rows[0]})
    print(os.path.getsize(args.file), "bytes")


if __name__ == "__main__":
    main()
