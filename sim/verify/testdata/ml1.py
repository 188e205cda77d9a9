"""Dumps trajectories and task vectors of Meta-World's own environments, which the Go families are compared with.

Needs: metaworld==3.1.1 (which brings mujoco==3.3.0) and numpy. From the repository root:

    python sim/verify/testdata/ml1.py sim/verify/testdata
        the files that are kept: states at every 15th step, one file per family
    python sim/verify/testdata/ml1.py /tmp/full --every 1 --steps 500
        the same with states at every step and whole episodes: nacre verify envs --from /tmp/full
    python sim/verify/testdata/ml1.py sim/verify/testdata --poses 40
        FAMILY-poses.npz: rewards of single states, see below
    ... [FAMILY ...]
        only these

FAMILY.npz holds, with K tasks of T steps, all of ML1 with seed 0 (training tasks 0 and 1, test task 0):

    params      [K, n]        the task: object and goal as drawn
    target      [K, 3]        the goal after the reset
    tcp0        [K, 3]        the middle of the finger tips after the hand's reset
    hand        [K, h]        qpos, qvel, qacc_warmstart and mocap position one mj_step before the end of the hand's reset
    object0     [K, m]        what the reset keeps as the object's first place; empty where there is none
    act         [K, T, 4]     int8; the actions were act/64, so that they are exact in float32 and float64
    obs         [K, T+1, 18]  hand, gripper, objects; the rest of the 39 numbers follows: the same of the step before
                              (of the same step in row 0), then three zeros for the hidden goal
    reward      [K, T, 2]     with reward functions v1 and v2, of two environments that took the same steps
    success     [K, T, 2]     uint8, likewise
    at          [S]           steps whose states are kept; 0 is the state after the reset
    qpos, qvel, warmstart, mocap  [K, S, ...]  these states; warmstart is qacc_warmstart, mocap the position
    tasks       [6, 50, n]    ML1's vectors for seeds 0 to 5: seed s trains on row s and is tested on row s+1

FAMILY-poses.npz holds P states of the first of these tasks that no trajectory need meet, so that every branch of a
reward is taken somewhere: the object near the hand, near its goal, fallen, turned, slides and hinges anywhere.

    params, hand   [n], [h]    as above
    qpos, mocap    [P, ...]    the state; velocities and warm starts are zero
    act            [P, 4]      int8, the action that is judged with it
    obs            [P, 18]
    reward, success [P, 2]

The first task takes the actions of the package's scripted policy, rounded to 1/64; the second those for half of the
steps and then random ones; the third random ones. A random action is held for one to eight steps.
"""

import argparse
import contextlib
import os
import pickle
import warnings

import metaworld
import mujoco
import numpy as np
from metaworld.env_dict import ALL_V3_ENVIRONMENTS
from metaworld.policies import ENV_POLICY_MAP
from metaworld.sawyer_xyz_env import SawyerXYZEnv

GRID = 64
SEEDS = 6


def vectors(tasks):
    return np.array([pickle.loads(t.data)["rand_vec"] for t in tasks])


@contextlib.contextmanager
def hurried():
    """Resets move the hand for one step only; the drawing of tasks does not depend on it."""
    whole = SawyerXYZEnv._reset_hand
    SawyerXYZEnv._reset_hand = lambda env, steps=1: whole(env, 1)
    try:
        yield
    finally:
        SawyerXYZEnv._reset_hand = whole


def task_vectors(name):
    """ML1's vectors for all seeds, and the task objects of seed 0, which is drawn both ways to make sure."""
    first = metaworld.ML1(name, seed=0)
    with hurried():
        benches = [metaworld.ML1(name, seed=s) for s in range(SEEDS - 1)]
    train = [vectors(b.train_tasks) for b in benches]
    test = [vectors(b.test_tasks) for b in benches]
    assert np.array_equal(train[0], vectors(first.train_tasks)) and np.array_equal(test[0], vectors(first.test_tasks))
    for s in range(SEEDS - 2):
        assert np.array_equal(test[s], train[s + 1])
    return np.array(train + test[-1:]), [first.train_tasks[0], first.train_tasks[1], first.test_tasks[0]]


def record_hand():
    """Makes environments keep the state one mj_step before the end of each reset of their hand."""
    whole = SawyerXYZEnv._reset_hand

    def recorded(env, steps=50):
        whole(env, steps - 1)
        d = env.data
        mocap = env.model.body_mocapid[d.body("mocap").id]
        d.mocap_pos[mocap], d.mocap_quat[mocap] = env.hand_init_pos, [1, 0, 1, 0]
        d.ctrl[:] = [-1, 1]
        mujoco.mj_step(env.model, d, nstep=env.frame_skip - 1)
        env.hand_state = np.concatenate([d.qpos, d.qvel, d.qacc_warmstart, d.mocap_pos[0]])
        mujoco.mj_step(env.model, d)
        mujoco.mj_rnePostConstraint(env.model, d)
        env.init_tcp = env.tcp_center

    SawyerXYZEnv._reset_hand = recorded


def make_env(name, version, task):
    env = ALL_V3_ENVIRONMENTS[name](reward_function_version=version)
    env.set_task(task)
    assert env.reward_function_version == version
    return env


def actions(name, index, steps):
    """A function from step, observation and goal to an action on the grid."""
    policy = ENV_POLICY_MAP[name]()
    rng = np.random.RandomState(1000 + index)
    held = {"until": 0}

    def random(t):
        if t >= held["until"]:
            held["act"] = rng.randint(-GRID, GRID + 1, 4).astype(np.int8)
            held["until"] = t + rng.randint(1, 9)
        return held["act"]

    def scripted(obs, goal):
        seen = obs.copy()
        seen[36:] = goal
        wanted = np.asarray(policy.get_action(seen), dtype=np.float64)
        return np.rint(GRID * np.clip(wanted, -1, 1)).astype(np.int8)

    until = [steps, steps // 2, 0][index]
    return lambda t, obs, goal: scripted(obs, goal) if t < until else random(t)


def trajectory(name, index, task, steps, at):
    envs = [make_env(name, v, task) for v in ("v1", "v2")]
    obs = [e.reset()[0] for e in envs]
    env = envs[0]
    object0 = np.array([]) if env.obj_init_pos is None else np.array(env.obj_init_pos, dtype=np.float64)
    out = {
        "target": np.array(env._target_pos, dtype=np.float64), "tcp0": np.array(env.init_tcp), "object0": object0,
        "hand": env.hand_state,
        "act": [], "obs": [], "reward": [], "success": [], "qpos": [], "qvel": [], "warmstart": [], "mocap": [],
    }
    choose = actions(name, index, steps)
    before = obs[0][:18]
    for t in range(steps + 1):
        assert np.array_equal(obs[0], obs[1]), (name, index, t)
        assert np.array_equal(obs[0][18:36], before)
        assert not obs[0][36:].any()
        before = obs[0][:18].copy()
        out["obs"].append(before)
        if t in at:
            d = env.data
            for key, value in (("qpos", d.qpos), ("qvel", d.qvel), ("warmstart", d.qacc_warmstart), ("mocap", d.mocap_pos[0])):
                out[key].append(np.array(value))
        if t == steps:
            break
        act = choose(t, obs[0], env._target_pos)
        result = [e.step(act.astype(np.float64) / GRID) for e in envs]
        obs = [r[0] for r in result]
        out["act"].append(act)
        out["reward"].append([float(r[1]) for r in result])
        out["success"].append([int(bool(r[4]["success"])) for r in result])
    for e in envs:
        e.close()
    return {k: np.array(v) for k, v in out.items()}


def scatter(rng, env, qpos):
    """Moves the object of a state to where a reward may look for it."""
    q, model = qpos.copy(), env.model
    places = [env.tcp_center, env._target_pos, np.array(env.obj_init_pos if env.obj_init_pos is not None else env._target_pos)]
    for j in range(model.njnt):
        at, kind = model.jnt_qposadr[j], model.jnt_type[j]
        name = model.joint(j).name
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            place = places[rng.randint(3)] + rng.uniform(-1, 1, 3) * [0.005, 0.02, 0.05, 0.2][rng.randint(4)]
            place[2] += [0, 0, 0, -0.1][rng.randint(4)]
            q[at : at + 3] = place
            if rng.randint(5) == 0:
                q[at + 3 : at + 7] = rng.standard_normal(4)
                q[at + 3 : at + 7] /= np.linalg.norm(q[at + 3 : at + 7])
        elif not name.startswith("right_") and name not in ("r_close", "l_close"):
            low, high = model.jnt_range[j] if model.jnt_limited[j] else (-0.2, 0.2)
            q[at] = rng.uniform(low, high) if rng.randint(3) else q[at]
    return q


def poses(name, folder, count):
    with hurried():
        task = metaworld.ML1(name, seed=0).train_tasks[0]
    envs = [make_env(name, v, task) for v in ("v1", "v2")]
    obs = [e.reset()[0] for e in envs][0]
    env, rng = envs[0], np.random.RandomState(7)
    out = {k: [] for k in ("qpos", "mocap", "act", "obs", "reward", "success")}
    hand, choose, bases = env.hand_state, actions(name, 0, 120), []
    for t in range(120):
        bases.append((env.data.qpos.copy(), env.data.mocap_pos[0].copy()))
        obs = env.step(choose(t, obs, env._target_pos).astype(np.float64) / GRID)[0]
    start = make_env(name, "v1", task)  # what a reward remembers of its first step is that of the first state here
    start.reset()
    envs[0] = start
    while len(out["obs"]) < count:
        base, mocap = bases[rng.randint(len(bases))]
        qpos, act = scatter(rng, envs[0], base), rng.randint(-GRID, GRID + 1, 4).astype(np.int8)
        seen, judged = [], []
        for e in envs:
            d, space = e.data, e.sawyer_observation_space
            d.qpos[:], d.qvel[:], d.qacc_warmstart[:], d.mocap_pos[0] = qpos, 0, 0, mocap
            mujoco.mj_forward(e.model, d)
            seen.append(np.clip(e._get_obs(), space.low, space.high))
            try:
                judged.append(e.evaluate_state(seen[-1], act.astype(np.float64) / GRID))
            except (AssertionError, ValueError):
                pass  # the package has no reward for this state
        assert np.array_equal(seen[0][:18], seen[1][:18])
        if len(judged) < 2:
            continue
        for key, value in (("qpos", qpos), ("mocap", mocap), ("act", act), ("obs", seen[0][:18]),
                           ("reward", [float(r) for r, _ in judged]), ("success", [int(bool(i["success"])) for _, i in judged])):
            out[key].append(value)
    data = {k: np.array(v) for k, v in out.items()}
    data["act"], data["success"] = data["act"].astype(np.int8), data["success"].astype(np.uint8)
    path = os.path.join(folder, name + "-poses.npz")
    np.savez_compressed(path, params=vectors([task])[0], hand=hand, **data)
    print(f"{name:28} {os.path.getsize(path):6} bytes; rewards from {data['reward'].min(0)} to {data['reward'].max(0)}; successes {data['success'].sum(0)}", flush=True)


def dump(name, folder, steps, every):
    tasks, chosen = task_vectors(name)
    at = np.unique([0, 1, steps] + list(range(0, steps + 1, every)))
    runs = [trajectory(name, k, task, steps, set(at)) for k, task in enumerate(chosen)]
    data = {k: np.array([r[k] for r in runs]) for k in runs[0]}
    data["act"] = data["act"].astype(np.int8)
    data["success"] = data["success"].astype(np.uint8)
    data.update(params=vectors(chosen), at=at.astype(np.int64), tasks=tasks)
    path = os.path.join(folder, name + ".npz")
    np.savez_compressed(path, **data)
    done = data["success"].sum(axis=1)
    print(f"{name:28} nq {data['qpos'].shape[2]:3} {os.path.getsize(path):8} bytes; steps with success by task, v1 {done[:, 0]}, v2 {done[:, 1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("families", nargs="*", default=[])
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--every", type=int, default=15)
    parser.add_argument("--poses", type=int, default=0)
    args = parser.parse_intermixed_args()
    record_hand()
    warnings.filterwarnings("ignore")
    os.makedirs(args.folder, exist_ok=True)
    for name in args.families or ALL_V3_ENVIRONMENTS:
        if args.poses:
            poses(name, args.folder, args.poses)
        else:
            dump(name, args.folder, args.steps, args.every)
    print("MuJoCo", mujoco.__version__, "NumPy", np.__version__)


if __name__ == "__main__":
    main()
