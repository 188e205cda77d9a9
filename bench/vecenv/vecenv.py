"""Steps one family of the Python packages in Gymnasium's vector environments and prints the rates as JSON.

python vecenv.py FAMILY ENVS STEPS WORKERS

FAMILY is a name of nacre's: ml1/push is Meta-World's push-v3 with ML1's tasks, cheetah-vel Gymnasium's HalfCheetah-v5
and so on. SyncVectorEnv steps ENVS environments one after the other in this process. AsyncVectorEnv steps WORKERS
environments, each in a process of its own; the machine should have a core for each. Actions are random. Rates are
environment steps per second of processor time (of one process) and of the clock, after a warm-up.
"""

import json
import sys
import time
import warnings

import gymnasium
import numpy as np

CONTROLS = {
    "cheetah": "HalfCheetah-v5",
    "ant": "Ant-v5",
    "humanoid": "Humanoid-v5",
    "walker": "Walker2d-v5",
}


def maker(family):
    """The name of what is stepped, and a function that makes environment i of it."""
    if not family.startswith("ml1/"):
        name = CONTROLS[family.split("-")[0]]
        return name, lambda i: gymnasium.make(name, disable_env_checker=True)
    import metaworld
    from metaworld.sawyer_xyz_env import SawyerXYZEnv

    base, _, endings = family[4:].partition(":")
    version = "v2" if "v2" in endings.split(":") else "v1"
    whole = SawyerXYZEnv._reset_hand
    SawyerXYZEnv._reset_hand = lambda env, steps=1: whole(env, 1)  # drawing tasks does not depend on it
    bench = metaworld.ML1(base + "-v3", seed=0)
    SawyerXYZEnv._reset_hand = whole

    def make(i):
        env = bench.train_classes[base + "-v3"](reward_function_version=version)
        env.set_task(bench.train_tasks[i % 50])
        return env

    return base + "-v3", make


def rate(kind, make, n, steps):
    envs = kind([lambda i=i: make(i) for i in range(n)])
    rng = np.random.default_rng(0)
    shape = envs.action_space.shape
    actions = rng.uniform(-1, 1, (steps + 5, *shape)).astype(np.float32)
    high = envs.action_space.high
    envs.reset(seed=0)
    for act in actions[:5]:
        envs.step(act * high)
    clock, processor = time.perf_counter(), time.process_time()
    for act in actions[5:]:
        envs.step(act * high)
    clock = time.perf_counter() - clock
    processor = time.process_time() - processor
    envs.close()
    result = {"wall": n * steps / clock}
    if kind is gymnasium.vector.SyncVectorEnv:
        result["cpu"] = n * steps / processor
    return result


def main():
    family, envs, steps, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    warnings.filterwarnings("ignore")
    name, make = maker(family)
    print(json.dumps({
        "stepped": name,
        "sync": rate(gymnasium.vector.SyncVectorEnv, make, envs, steps),
        "async": rate(gymnasium.vector.AsyncVectorEnv, make, workers, steps),
    }))


if __name__ == "__main__":
    main()
