"""Makes and checks the half-cheetah's reference trajectories with Gymnasium's own model and MuJoCo 3.3.0.

Needs: gymnasium, imageio, packaging, mujoco==3.3.0, numpy. From the repository root, with the MuJoCo build flags set:

    python sim/controls/testdata/cheetah.py reference 40 sim/controls/testdata/cheetah.npy
        the file the Go test compares with: per task, the first observation and 40 steps
    python sim/controls/testdata/cheetah.py reference 200 /tmp/long.npy
    go test ./sim/controls -run Reference -reference /tmp/long.npy -v
    go test ./sim/controls -run HalfCheetahXML -write-xml /tmp/own.xml
    python sim/controls/testdata/cheetah.py models /tmp/own.xml
        compares the fields of the compiled models and 200 random steps of both

The file holds an array [task, 1+steps, 21], observation (20) and reward, for the tasks cheetah-vel 1.5 m/s and
cheetah-dir -1. Initial states are in the observations: x is the torso's x, row 0 has reward 0. Actions are
RandomState(task).uniform(-1, 1, (steps, 6)).
"""

import sys

import gymnasium
import mujoco
import numpy as np


def environment():
    return gymnasium.make("HalfCheetah-v5").unwrapped


def observe(env):
    data = env.data
    return np.concatenate([data.qpos[1:], data.qvel, data.body("torso").xpos])


def initial(env, rng):
    return env.init_qpos + rng.uniform(-0.1, 0.1, 9), 0.1 * rng.standard_normal(9)


def start(env, qpos, qvel):
    mujoco.mj_resetData(env.model, env.data)
    env.set_state(qpos, qvel)


def rewards(env, x, action):
    velocity = (env.data.qpos[0] - x) / env.dt
    cost = 0.5 * 1e-1 * np.sum(np.square(action))
    return -1.0 * abs(velocity - 1.5) - cost, -1.0 * velocity - cost


def reference(steps, path):
    env = environment()
    out = np.zeros((2, 1 + steps, 21))
    for task in range(2):
        start(env, *initial(env, np.random.RandomState(100 + task)))
        out[task, 0, :20] = observe(env)
        for t, action in enumerate(np.random.RandomState(task).uniform(-1, 1, (steps, 6))):
            x = env.data.qpos[0]
            env.do_simulation(action, env.frame_skip)
            out[task, t + 1, :20] = observe(env)
            out[task, t + 1, 20] = rewards(env, x, action)[task]
    np.save(path, out)
    print(path, out.shape, "MuJoCo", mujoco.__version__, "Gymnasium", gymnasium.__version__)


def models(path):
    env = environment()
    own = mujoco.MjModel.from_xml_path(path)
    fields = [f for f in dir(own) if f.startswith(("body_", "jnt_", "dof_", "geom_", "actuator_", "qpos", "pair_"))]
    visual = {"geom_rgba", "geom_matid", "body_user", "geom_user", "jnt_user", "actuator_user"}
    checked = 0
    for f in sorted(set(fields) - visual):
        a, b = getattr(env.model, f), getattr(own, f)
        if isinstance(a, np.ndarray):
            checked += 1
            if not np.array_equal(a, b):
                print("differs:", f, np.abs(a - b).max() if a.shape == b.shape else (a.shape, b.shape))
    for f in ("timestep", "gravity", "integrator", "solver", "iterations", "tolerance", "cone", "jacobian", "disableflags"):
        if not np.array_equal(getattr(env.model.opt, f), getattr(own.opt, f)):
            print("differs: opt", f)
    print(checked, "arrays compared; total mass", own.body_mass.sum())
    data = mujoco.MjData(own)
    rng = np.random.RandomState(5)
    qpos, qvel = initial(env, rng)
    start(env, qpos, qvel)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(own, data)
    worst = 0.0
    for action in rng.uniform(-1, 1, (200, 6)):
        x, x_own = env.data.qpos[0], data.qpos[0]
        env.do_simulation(action, env.frame_skip)
        data.ctrl[:] = action
        mujoco.mj_step(own, data, nstep=5)
        theirs = np.concatenate([observe(env), [(env.data.qpos[0] - x) / env.dt]])
        ours = np.concatenate([data.qpos[1:], data.qvel, data.body("torso").xpos, [(data.qpos[0] - x_own) / 0.05]])
        worst = max(worst, np.abs(theirs - ours).max())
    print("200 steps, largest difference of observation and velocity:", worst)


if __name__ == "__main__":
    if sys.argv[1] == "reference":
        reference(int(sys.argv[2]), sys.argv[3])
    else:
        models(sys.argv[2])
