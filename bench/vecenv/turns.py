"""Steps one of Gymnasium's environments in the vector environments of several packages, a turn at a time.

python turns.py ID ENVS

For every line "WAY STEPS" of standard input it makes STEPS calls of step on ENVS environments with random actions, and
answers with one line of JSON: the number of environment steps and the seconds by the clock. The first line that it
writes names the ways that are there, each with its package's version, or with why it is missing.
"""

import json
import sys
import time
import warnings

import numpy as np

SEED = 0


def gymnasiums(kind, name, n):
    import gymnasium

    envs = kind([lambda: gymnasium.make(name, disable_env_checker=True) for _ in range(n)])
    envs.reset(seed=SEED)
    return envs.step, envs.single_action_space, gymnasium.__version__


def sync(name, n):
    import gymnasium

    return gymnasiums(gymnasium.vector.SyncVectorEnv, name, n)


def asynchronous(name, n):
    import gymnasium

    return gymnasiums(gymnasium.vector.AsyncVectorEnv, name, n)


def subproc(name, n):
    import gymnasium
    import stable_baselines3
    from stable_baselines3.common.vec_env import SubprocVecEnv

    envs = SubprocVecEnv([lambda: gymnasium.make(name, disable_env_checker=True) for _ in range(n)])
    envs.seed(SEED)
    envs.reset()
    return envs.step, envs.action_space, stable_baselines3.__version__


def envpool(name, n):
    import envpool as package

    envs = package.make_gymnasium(name, num_envs=n, num_threads=1, seed=SEED)
    envs.reset()
    return envs.step, envs.action_space, package.__version__


WAYS = {"sync": sync, "async": asynchronous, "subproc": subproc, "envpool": envpool}


def random_actions(space, n):
    """A thousand random actions for n environments."""
    rng = np.random.default_rng(SEED)
    if hasattr(space, "n"):
        return rng.integers(space.n, size=(1000, n))
    return rng.uniform(space.low, space.high, (1000, n, *space.shape)).astype(np.float32)


def main():
    name, n = sys.argv[1], int(sys.argv[2])
    warnings.filterwarnings("ignore")
    steps, versions = {}, {}
    for way, make in WAYS.items():
        try:
            step, space, versions[way] = make(name, n)
        except Exception as error:  # a package that is missing, or without this environment
            versions[way] = f"missing: {type(error).__name__}: {error}".splitlines()[0]
            continue
        steps[way] = step, random_actions(space, n)
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        way, count = line.split()
        step, actions = steps[way]
        clock = time.perf_counter()
        for i in range(int(count)):
            step(actions[i % 1000])
        print(json.dumps({"steps": n * int(count), "wall": time.perf_counter() - clock}), flush=True)


if __name__ == "__main__":
    main()
