"""Dumps trajectories and task vectors of Meta-World's first environments, which the families ml1-2020/... are compared with.

Needs: a checkout of github.com/rlworkgroup/metaworld at commit 0875192 with its scenes, mujoco==3.3.0, numpy,
gym==0.17.3, scipy and pyquaternion. From the repository root:

    python sim/verify/testdata/ml1_2020.py CHECKOUT sim/verify/testdata [FAMILY ...]
    python sim/verify/testdata/ml1_2020.py OLDER_CHECKOUT sim/metaworld/testdata --older [FAMILY ...]
    python sim/verify/testdata/ml1_2020.py CHECKOUT FOLDER --policies
        policies.json: return and success of the repository's policies in the first 10 test tasks of seed 0, 200 steps
    python sim/verify/testdata/ml1_2020.py CHECKOUT FOLDER --bounds
        bounds.json: what 200 steps pay who knows the goal and who does not, see `bound`

The classes of the checkout run as they are. They import mujoco_py, of which this script has what they use, on the
package mujoco. In memory it sets the weld's torque scale to 5.5, switches the native convex collision detection off and
keeps two buttons from falling, as sim/metaworld does; with --mujoco-py the real mujoco_py is used and none of it.

FAMILY-v1.npz holds, with K = 3 tasks of T = 150 steps, all of ML1 with numpy.random.seed(0):

    params   [K, n]       the task: training tasks 0 and 1, test task 0
    target   [K, 3]       the goal after the reset
    tcp0     [K, 3]       the middle of the finger tips after the hand's reset
    act      [K, T, 4]    int8; the actions were act/64, so that they are exact in float32 and float64
    obs      [K, T+1, 12] the observation, with zeros for the goal
    reward   [K, T, 1]
    success  [K, T, 1]    uint8
    tasks    [2, 100, n]  ML1's vectors for seeds 0 and 1: 50 for training, 50 for testing

Each environment is reset twice before it is stepped: a first reset finds the scene where the model file has it, and all
later ones where the task has moved it.

With --older the checkout is of commit 861ae8d. Its classes take the same actions in the same tasks, which lie in
sim/verify/testdata; older.npz holds FAMILY/params, act, obs ([K, T+1, 6 or 9]), reward and success of all.

The first task takes the actions of the repository's scripted policy where there is one, else those of `carry` below,
rounded to 1/64; the second those of `carry`, which lifts the object and then drags it low to the goal; the third random
ones, each held for one to eight steps.
"""

import argparse
import importlib
import json
import os
import pickle
import sys
import types
import warnings

import numpy as np

GRID = 64
STEPS = 150
FLOATING = ("sawyer_button_press_topdown.xml", "sawyer_button_press_topdown_wall.xml")


def stand_in():
    """A module with what the classes use of mujoco_py."""
    import mujoco

    class Welds:
        def __init__(self, model):
            self.model, self.shape = model, (model.neq, 7)

        def __setitem__(self, at, row):
            to = self.model.eq_data[at[0]]
            to[:], to[6:10], to[10] = 0, row[3:7], 5.5

    class Model:
        def __init__(self, path):
            spec = mujoco.MjSpec.from_file(path)
            if os.path.basename(path) in FLOATING:
                next(b for b in spec.bodies if b.name == "button").gravcomp = 1
            self.model = m = spec.compile()
            m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
            self.eq_data = Welds(m)
            self.site_names = [m.site(i).name for i in range(m.nsite)]

        def __getattr__(self, name):
            return getattr(self.__dict__["model"], name)

        def find(self, kind, name):
            return mujoco.mj_name2id(self.model, kind, name)

        def body_name2id(self, name):
            return self.find(mujoco.mjtObj.mjOBJ_BODY, name)

        def geom_name2id(self, name):
            return self.find(mujoco.mjtObj.mjOBJ_GEOM, name)

        def site_name2id(self, name):
            return self.find(mujoco.mjtObj.mjOBJ_SITE, name)

        def get_joint_qpos_addr(self, name):
            return int(self.model.jnt_qposadr[self.find(mujoco.mjtObj.mjOBJ_JOINT, name)])

        def get_joint_qvel_addr(self, name):
            return int(self.model.jnt_dofadr[self.find(mujoco.mjtObj.mjOBJ_JOINT, name)])

    class Data:
        def __init__(self, model):
            self.model, self.data = model, mujoco.MjData(model.model)

        def __getattr__(self, name):
            return getattr(self.__dict__["data"], name)

        def get_body_xpos(self, name):
            return self.data.xpos[self.model.body_name2id(name)]

        def get_geom_xpos(self, name):
            return self.data.geom_xpos[self.model.geom_name2id(name)]

        def get_site_xpos(self, name):
            return self.data.site_xpos[self.model.site_name2id(name)]

        def get_joint_qpos(self, name):
            return self.data.qpos[self.model.get_joint_qpos_addr(name)]

        def set_mocap_pos(self, _, value):
            self.data.mocap_pos[:] = value

        def set_mocap_quat(self, _, value):
            self.data.mocap_quat[:] = value

    class State(types.SimpleNamespace):
        def __init__(self, time, qpos, qvel, act, udd_state):
            super().__init__(time=time, qpos=qpos, qvel=qvel, act=act, udd_state=udd_state)

    class Sim:
        def __init__(self, model):
            self.model, self.data = model, Data(model)

        def reset(self):
            mujoco.mj_resetData(self.model.model, self.data.data)

        def forward(self):
            mujoco.mj_forward(self.model.model, self.data.data)

        def step(self):
            mujoco.mj_step(self.model.model, self.data.data)

        def get_state(self):
            d = self.data.data
            return State(d.time, d.qpos.copy(), d.qvel.copy(), None, None)

        def set_state(self, state):
            d = self.data.data
            d.time, d.qpos[:], d.qvel[:] = state.time, state.qpos, state.qvel

    module = types.ModuleType("mujoco_py")
    module.load_model_from_path, module.MjSim, module.MjSimState = Model, Sim, State
    module.const = types.SimpleNamespace(EQ_WELD=int(mujoco.mjtEq.mjEQ_WELD))
    return module


def tasks_of(name, seed):
    """ML1's tasks after numpy.random.seed(seed), and their vectors; what is drawn does not depend on the physics."""
    import metaworld
    from metaworld.envs.mujoco.sawyer_xyz.sawyer_xyz_env import SawyerXYZEnv

    whole = SawyerXYZEnv._reset_hand
    SawyerXYZEnv._reset_hand = lambda env, steps=1: whole(env, 1)
    np.random.seed(seed)
    bench = metaworld.ML1(name)
    SawyerXYZEnv._reset_hand = whole
    tasks = bench.train_tasks + bench.test_tasks
    return tasks, np.array([pickle.loads(t.data)["rand_vec"] for t in tasks], dtype=np.float64)


def policy_of(name):
    """The repository's scripted policy, or None."""
    base = name[: -len("-v1")].replace("-", "_")
    try:
        module = importlib.import_module(f"metaworld.policies.sawyer_{base}_v1_policy")
    except ImportError:
        return None
    return next(v for k, v in vars(module).items() if k.endswith("V1Policy"))()


def carry(t, obs, goal):
    """Goes over the object, down to it, closes, lifts it by 15 cm, and drags it low to the goal."""
    hand, thing = obs[:3], obs[3:6]
    up = np.array([0, 0, 1])
    to = [thing + 0.15 * up, thing + 0.045 * up, thing + 0.045 * up, thing + 0.2 * up, np.append(goal[:2], 0.06)][
        int(np.searchsorted([30, 55, 70, 95], t, side="right"))
    ]
    return np.append(10 * (to - hand), 1 if t >= 55 else -1)


def run(name, index, task):
    import metaworld.envs.mujoco.env_dict as table

    env = table.ALL_V1_ENVIRONMENTS[name]()
    env.set_task(task)
    env.reset()
    obs = env.reset()
    policy = policy_of(name) if index == 0 else None
    rng, held, until = np.random.RandomState(1000 + index), None, 0
    out = {"target": np.array(env._target_pos, dtype=np.float64), "tcp0": np.array(getattr(env, "init_fingerCOM", np.zeros(3))),
           "act": [], "obs": [obs], "reward": [], "success": []}
    for t in range(STEPS):
        if index == 2:
            if t >= until:
                held, until = rng.randint(-GRID, GRID + 1, 4), t + rng.randint(1, 9)
            act = held
        else:
            wanted = carry(t, obs, env._target_pos) if policy is None else policy.get_action(np.append(obs[:9], env._target_pos))
            act = np.rint(GRID * np.clip(np.asarray(wanted, dtype=np.float64), -1, 1))
        obs, reward, _, info = env.step(act / GRID)
        out["act"].append(act), out["obs"].append(obs), out["reward"].append([float(reward)])
        out["success"].append([int(info["success"])])
    return {k: np.array(v) for k, v in out.items()}


def older(name, folder):
    """The classes of the older interface along the actions of FAMILY-v1.npz; every draw is the task's vector."""
    import metaworld.envs.mujoco.env_dict as table

    classes = {**table.HARD_MODE_CLS_DICT["train"], **table.HARD_MODE_CLS_DICT["test"]}
    make = classes[{"disassemble-v1": "dissassemble-v1"}.get(name, name)]
    kinds = {"reach": "reach", "push": "push", "pick-place": "pick_place"}
    kind = kinds.get(name[: -len("-v1")].removesuffix("-wall"))
    kept = np.load(os.path.join(folder, name + ".npz"))
    out, draw = {"obs": [], "reward": [], "success": []}, np.random.uniform
    for vector, acts in zip(kept["params"], kept["act"]):
        np.random.uniform = lambda low, high, size=None: vector.copy()
        env = make(random_init=True, obs_type="plain", **({"task_type": kind} if kind else {}))
        env.reset()
        seen = [env.reset()]
        np.random.uniform = draw
        paid, done = [], []
        for act in acts:
            obs, reward, _, info = env.step(act / GRID)
            seen.append(obs), paid.append([float(reward)]), done.append([int(info["success"])])
        out["obs"].append(seen), out["reward"].append(paid), out["success"].append(done)
    data = {k: np.array(v, dtype=np.float64) for k, v in out.items()}
    return data | {"params": kept["params"], "act": kept["act"].astype(np.float64) / GRID}


def rollouts(name, episodes=10, steps=200):
    """Returns and successes of the repository's policy; None where there is none."""
    import metaworld.envs.mujoco.env_dict as table

    policy = policy_of(name)
    if policy is None:
        return None
    tasks, env = tasks_of(name, 0)[0][50 : 50 + episodes], table.ALL_V1_ENVIRONMENTS[name]()
    out = {"returns": [], "successes": []}
    for task in tasks:
        env.set_task(task)
        env.reset()
        obs, paid, done = env.reset(), 0.0, False
        for _ in range(steps):
            act = np.clip(np.asarray(policy.get_action(np.append(obs[:9], env._target_pos)), dtype=np.float64), -1, 1)
            obs, reward, _, info = env.step(act)
            paid, done = paid + float(reward), done or bool(info["success"])
        out["returns"].append(paid), out["successes"].append(int(done))
    return out


# What is measured from the object, or the fingers, to the goal: coordinates, and what being lifted pays for besides.
MEASURED = {
    "reach": (3, False), "reach-wall": (3, False), "push": (2, False), "push-wall": (2, False), "push-back": (2, False),
    "soccer": (2, False), "coffee-push": (2, False), "coffee-pull": (2, False), "plate-slide": (2, False),
    "plate-slide-side": (2, False), "plate-slide-back": (2, False), "plate-slide-back-side": (2, False),
    "pick-place": (3, True), "pick-place-wall": (3, True), "shelf-place": (3, True), "basketball": (3, True),
    "pick-out-of-hole": (3, True), "box-close": (3, True),
}


def bound(name, steps=200):
    """Highest returns in families whose goal is drawn and hidden and whose reward is one distance to it.

    Known: the object is at the goal from the first step to the last. Blind: it is at the one point that pays most on
    the mean of the goals. Getting there takes steps, so that no policy reaches either.
    """
    import metaworld.envs.mujoco.env_dict as table

    axes, lifted = MEASURED[name[: -len("-v1")]]
    spans, goals, heights = [], [], []
    env = table.ALL_V1_ENVIRONMENTS[name]()
    for task in tasks_of(name, 0)[0] + tasks_of(name, 1)[0] + tasks_of(name, 2)[0]:
        env.set_task(task)
        env.reset()
        goals.append(np.array(env._target_pos)[:axes])
        kind = {"reach-v1": "maxReachDist", "reach-wall-v1": "maxReachDist", "push-v1": "maxPushDist", "push-wall-v1": "maxPushDist"}
        names = [kind[name]] if name in kind else ["maxPlacingDist", "maxPushDist", "maxPullDist", "maxDist"]
        spans.append(next(getattr(env, n) for n in names if hasattr(env, n)))
        heights.append(100 * env.heightTarget if lifted else 0)
    spans, goals, heights = np.array(spans), np.array(goals), np.array(heights)

    def paid(point):
        d = np.linalg.norm(goals - point, axis=1)
        return np.maximum(1000 * (spans - d) + 1000 * (np.exp(-(d**2) / 0.01) + np.exp(-(d**2) / 0.001)), 0).mean()

    best, width = max(goals, key=paid), 0.02
    rng = np.random.RandomState(0)
    for _ in range(2000):
        other = best + rng.normal(0, width, axes)
        if paid(other) > paid(best):
            best = other
        else:
            width = max(0.995 * width, 1e-3)
    return {"known": steps * (1000 * spans.mean() + 2000 + heights.mean()), "blind": steps * (paid(best) + heights.mean())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout")
    parser.add_argument("folder")
    parser.add_argument("families", nargs="*", default=[])
    parser.add_argument("--mujoco-py", action="store_true")
    parser.add_argument("--older", action="store_true")
    parser.add_argument("--policies", action="store_true")
    parser.add_argument("--bounds", action="store_true")
    args = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore")
    for name in ("bool", "float", "int", "object"):  # gym 0.17 asks a new NumPy for its old names
        if name not in np.__dict__:
            setattr(np, name, getattr(__builtins__, name))
    sys.path.insert(0, args.checkout)
    if not args.mujoco_py:
        sys.modules["mujoco_py"] = stand_in()
        sys.modules.setdefault("glfw", types.ModuleType("glfw"))
    import metaworld.envs.mujoco.env_dict as table

    if args.older:
        beside = os.path.dirname(__file__)
        all = {f"{name}/{k}": v for name in args.families for k, v in older(name, beside).items()}
        np.savez_compressed(os.path.join(args.folder, "older.npz"), **all)
        return
    if args.bounds:
        kept = {name + "-v1": bound(name + "-v1") for name in MEASURED}
        with open(os.path.join(args.folder, "bounds.json"), "w") as file:
            json.dump(kept, file)
        return
    if args.policies:
        kept = {name: rollouts(name) for name in args.families or table.ALL_V1_ENVIRONMENTS}
        with open(os.path.join(args.folder, "policies.json"), "w") as file:
            json.dump(kept, file)
        return
    for name in args.families or table.ALL_V1_ENVIRONMENTS:
        tasks, vectors = tasks_of(name, 0)
        chosen = [0, 1, 50]
        runs = [run(name, k, tasks[i]) for k, i in enumerate(chosen)]
        data = {k: np.array([r[k] for r in runs]) for k in runs[0]}
        data["act"], data["success"] = data["act"].astype(np.int8), data["success"].astype(np.uint8)
        data.update(params=vectors[chosen], tasks=np.array([vectors, tasks_of(name, 1)[1]]))
        path = os.path.join(args.folder, name + ".npz")
        np.savez_compressed(path, **data)
        print(f"{name:28} {os.path.getsize(path):6} bytes; returns {data['reward'].sum((1, 2)).round(2)}; steps with success "
              f"{data['success'].sum((1, 2))}", flush=True)


if __name__ == "__main__":
    main()
