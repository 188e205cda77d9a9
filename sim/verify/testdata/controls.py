"""Makes and checks reference trajectories of the controls with Gymnasium's own models and MuJoCo 3.3.0.

Needs: gymnasium, imageio, packaging, mujoco==3.3.0, numpy. From the repository root, with the MuJoCo build flags set:

    python sim/verify/testdata/controls.py make sim/verify/testdata
        the files that are kept
    python sim/verify/testdata/controls.py make /tmp/long 200
        the same with 200 steps of every task: nacre verify envs --from /tmp/long
    go test ./sim/controls -run ModelText -write-xml /tmp/own
    python sim/verify/testdata/controls.py models /tmp/own
        compares the compiled models and 200 random steps of both

FAMILY.npz holds, with K tasks of T steps:

    params      [K, n]        the task vector
    qpos, qvel  [K, 1, ...]   the first state; `at` [1] says that it is that of step 0
    act         [K, T, a]     actions in [-1, 1]
    obs         [K, T+1, o]   observations, the first one included
    reward      [K, T, 1]
    done        [K, T]        uint8

Starts, task vectors and actions are random (RandomState(100 + task)); the height of a start is moved by the family's
lift so that some episodes end. Rewards and observations are PEARL's formulas, with contact forces computed once per
control step.
"""

import os
import sys

import gymnasium
import mujoco
import numpy as np



# PEARL's walker is in Gymnasium only with another time step and with other frames of the feet. This is the published
# one in local coordinates.
WALKER_LEG = """
<body pos="0 0 -.2"><joint name="thigh{0}" axis="0 -1 0" range="-150 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.45" size=".05"/>
  <body pos="0 0 -.7"><joint name="leg{0}" axis="0 -1 0" pos="0 0 .25" range="-150 0"/>
    <geom type="capsule" fromto="0 0 .25 0 0 -.25" size=".04"/>
    <body pos=".1 0 -.25"><joint name="foot{0}" axis="0 -1 0" pos="-.1 0 0" range="-45 45"/>
      <geom type="capsule" fromto="-.1 0 0 .1 0 0" size=".06" friction="{1}"/>
</body></body></body>"""
WALKER = """
<mujoco><option timestep="0.004" integrator="RK4"/>
  <default><joint armature=".01" damping=".1" limited="true"/><motor gear="100" ctrllimited="true" ctrlrange="-1 1"/>
    <geom conaffinity="0" friction=".9 .1 .1"/></default>
  <worldbody><geom type="plane" size="40 40 40" conaffinity="1" friction=".7 .1 .1"/>
    <body name="torso" pos="0 0 1.25">
      <joint type="slide" axis="1 0 0" limited="false" armature="0" damping="0"/>
      <joint type="slide" axis="0 0 1" limited="false" armature="0" damping="0" ref="1.25"/>
      <joint axis="0 1 0" limited="false" armature="0" damping="0"/>
      <geom type="capsule" fromto="0 0 .2 0 0 -.2" size=".05"/>{}{}</body></worldbody>
  <actuator>{}</actuator>
</mujoco>""".format(
    WALKER_LEG.format("0", ".9"),
    WALKER_LEG.format("1", "1.9"),
    "".join(f'<motor joint="{j}{side}"/>' for side in "01" for j in ("thigh", "leg", "foot")),
)
WALKER_FIELDS = ("body_mass", "body_inertia", "dof_damping", "geom_friction")


class Walker:
    frame_skip, dt = 4, 0.016

    def __init__(self, model=None):
        self.model = model or mujoco.MjModel.from_xml_string(WALKER)
        self.data = mujoco.MjData(self.model)

    def set_state(self, qpos, qvel):
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        mujoco.mj_forward(self.model, self.data)

    def do_simulation(self, ctrl, n):
        self.data.ctrl[:] = ctrl
        mujoco.mj_step(self.model, self.data, nstep=n)

    def multiply(self, multipliers):
        for name in WALKER_FIELDS:
            field = getattr(self.model, name)
            field *= multipliers[: field.size].reshape(field.shape)
            multipliers = multipliers[field.size :]
        assert multipliers.size == 0


class Cheetah:
    id, noise, draws, lifts, steps = "HalfCheetah-v5", 0.1, 0, [0.0], 40

    def task(self, index, draws):
        return {"cheetah-vel": 1.5, "cheetah-dir": -1.0}[self.name]

    def observe(self, env):
        return np.concatenate([env.data.qpos[1:], env.data.qvel, env.data.body("torso").xpos])

    def place(self, env):
        return env.data.qpos[0]

    def reward(self, env, task, before, ctrl):
        velocity = (env.data.qpos[0] - before) / env.dt
        cost = 0.5 * 1e-1 * np.sum(np.square(ctrl))
        if self.name == "cheetah-vel":
            return -1.0 * abs(velocity - task) - cost, False
        return task * velocity - cost, False


class AntDir:
    id, noise, draws, lifts, steps = "Ant-v5", 0.1, 0, [0.0, 0.22], 40

    def task(self, index, draws):
        return [0.0, np.pi][index]

    def observe(self, env):
        return np.concatenate([env.data.qpos[2:], env.data.qvel])

    def place(self, env):
        return env.data.body("torso").xpos.copy()

    def contact_cost(self, env):
        return 0.5 * 1e-3 * np.sum(np.square(np.clip(env.data.cfrc_ext, -1, 1)))

    def reward(self, env, task, before, ctrl):
        velocity = self.place(env) - before
        forward = np.dot(velocity[:2] / env.dt, (np.cos(task), np.sin(task)))
        height = env.data.qpos[2]
        reward = forward - 0.5 * np.square(ctrl).sum() - self.contact_cost(env) + 1.0
        return reward, not 0.2 <= height <= 1.0


class AntGoal(AntDir):
    draws, lifts, steps = 2, [0.0, -0.2], 25

    def task(self, index, draws):
        return 3 * draws

    def observe(self, env):
        return np.concatenate([env.data.qpos, env.data.qvel, np.clip(env.data.cfrc_ext, -1, 1).flat])

    def reward(self, env, task, before, ctrl):
        distance = np.sum(np.abs(self.place(env)[:2] - task))
        return -distance - 0.1 * np.square(ctrl).sum() - self.contact_cost(env), False


class HumanoidDir:
    id, noise, draws, lifts, steps, gain = "Humanoid-v5", 0.01, 1, [-0.105, -0.65, 0.615], 5, 0.4

    def task(self, index, draws):
        return np.pi * (1 + draws[0])

    def observe(self, env):
        d = env.data
        return np.concatenate([d.qpos[2:], d.qvel, d.cinert.flat, d.cvel.flat, d.qfrc_actuator, d.cfrc_ext.flat])

    def place(self, env):
        mass = np.expand_dims(env.model.body_mass, 1)
        return (np.sum(mass * env.data.xipos, 0) / np.sum(mass))[:2].copy()

    def reward(self, env, task, before, ctrl):
        direction = (np.cos(task), np.sin(task))
        progress = 0.25 * np.sum(direction * (self.place(env) - before)) / env.model.opt.timestep
        impact = min(0.5e-6 * np.square(env.data.cfrc_ext).sum(), 10)
        height = env.data.qpos[2]
        return progress - 0.1 * np.square(ctrl).sum() - impact + 5.0, height < 1.0 or height > 2.0


class WalkerRandParams:
    noise, draws, lifts, steps = 0.005, 65, [0.0, -0.05, 0.74], 40

    def task(self, index, draws):
        return 1 + 0.7 * draws

    def observe(self, env):
        return np.concatenate([env.data.qpos[1:], np.clip(env.data.qvel, -10, 10)])

    def place(self, env):
        return env.data.qpos[0]

    def reward(self, env, task, before, ctrl):
        _, height, angle = env.data.qpos[:3]
        up = 0.8 < height < 2.0 and -1.0 < angle < 1.0
        return (env.data.qpos[0] - before) / env.dt + 1.0 - 1e-3 * np.square(ctrl).sum(), not up


FAMILIES = {
    "cheetah-vel": Cheetah(),
    "cheetah-dir": Cheetah(),
    "ant-dir": AntDir(),
    "ant-goal": AntGoal(),
    "humanoid-dir": HumanoidDir(),
    "walker-rand-params": WalkerRandParams(),
}
for family_name, family_rules in FAMILIES.items():
    family_rules.name = family_name


def trajectory(f, index, steps):
    rng = np.random.RandomState(100 + index)
    uniform = lambda n: 2 * rng.random_sample(n) - 1
    walks = isinstance(f, WalkerRandParams)
    env = Walker() if walks else gymnasium.make(f.id).unwrapped
    mujoco.mj_resetData(env.model, env.data)
    qpos = env.data.qpos + f.noise * uniform(env.model.nq)
    qvel = f.noise * uniform(env.model.nv)
    qpos[2 if env.model.nq > 9 else 1] += f.lifts[index]
    task = f.task(index, uniform(f.draws))
    if walks:
        env.multiply(task)
    env.set_state(qpos, qvel)
    out = {"params": np.atleast_1d(task).astype(float), "qpos": [qpos], "qvel": [qvel], "act": [], "reward": [], "done": []}
    out["obs"] = [f.observe(env)]
    for _ in range(steps):
        act = uniform(env.model.nu)
        ctrl = getattr(f, "gain", 1) * act
        before = f.place(env)
        env.do_simulation(ctrl, env.frame_skip)
        reward, done = f.reward(env, task, before, ctrl)
        for key, value in (("act", act), ("obs", f.observe(env)), ("reward", [reward]), ("done", done)):
            out[key].append(value)
    return out


def make(folder, steps=None):
    os.makedirs(folder, exist_ok=True)
    for name, f in FAMILIES.items():
        runs = [trajectory(f, i, int(steps or f.steps)) for i in range(len(f.lifts))]
        out = {key: np.array([r[key] for r in runs], dtype=np.float64) for key in runs[0]}
        out["done"] = out["done"].astype(np.uint8)
        path = os.path.join(folder, name + ".npz")
        np.savez_compressed(path, at=np.zeros(1, np.int64), **out)
        print(path, out["obs"].shape, os.path.getsize(path), "bytes; steps done, by task:", *out["done"].sum(axis=1))
    print("MuJoCo", mujoco.__version__, "Gymnasium", gymnasium.__version__, "NumPy", np.__version__)


def models(folder):
    def own(name):
        return mujoco.MjModel.from_xml_path(os.path.join(folder, name + ".xml"))

    for name in ("HalfCheetah", "Ant", "Humanoid"):
        env = gymnasium.make(name + "-v5").unwrapped
        compare(name + "-v5", env.model, own(name))
        race(env.model, own(name), env.frame_skip)
    compare("walker in this file", Walker().model, own("Walker"))
    race(Walker().model, own("Walker"), 4)
    other = gymnasium.make("Walker2d-v5", xml_file="walker2d.xml").unwrapped.model
    other.opt.timestep = 0.004
    compare("walker2d.xml of Gymnasium with a time step of 0.004", other, own("Walker"))
    race(other, own("Walker"), 4)


def compare(name, a, b):
    visual = {"geom_rgba", "geom_matid", "body_user", "geom_user", "jnt_user", "actuator_user"}
    fields = [f for f in dir(b) if f.startswith(("body_", "jnt_", "dof_", "geom_", "actuator_", "qpos", "pair_"))]
    arrays = [f for f in sorted(set(fields) - visual) if isinstance(getattr(b, f), np.ndarray)]
    for f in arrays:
        x, y = getattr(a, f), getattr(b, f)
        if not np.array_equal(x, y):
            print("  differs:", f, np.abs(x - y).max() if x.shape == y.shape else (x.shape, y.shape))
    options = [f for f in dir(b.opt) if isinstance(getattr(b.opt, f), (int, float, np.ndarray))]
    for f in options:
        if not np.array_equal(getattr(a.opt, f), getattr(b.opt, f)):
            print("  differs: option", f, getattr(a.opt, f), getattr(b.opt, f))
    print(f"{name}: {len(arrays)} arrays and {len(options)} options compared; total mass {b.body_mass.sum():.6f}")


def race(a, b, frame_skip, steps=200):
    rng = np.random.RandomState(5)
    da, db = mujoco.MjData(a), mujoco.MjData(b)
    qpos, qvel = da.qpos + rng.uniform(-0.1, 0.1, a.nq), 0.1 * rng.standard_normal(a.nv)
    for m, d in ((a, da), (b, db)):
        d.qpos[:], d.qvel[:] = qpos, qvel
        mujoco.mj_forward(m, d)
    worst = {}
    for t in range(steps):
        ctrl = rng.uniform(*a.actuator_ctrlrange.T)
        for m, d in ((a, da), (b, db)):
            d.ctrl[:] = ctrl
            mujoco.mj_step(m, d, nstep=frame_skip)
            mujoco.mj_rnePostConstraint(m, d)
        for f in ("qpos", "qvel", "xipos", "cinert", "cvel", "qfrc_actuator", "cfrc_ext"):
            worst[f] = max(worst.get(f, 0), np.abs(getattr(da, f) - getattr(db, f)).max())
        if t + 1 in (1, 10, 40, steps):
            print(f"  {t + 1} steps, largest difference:", max(worst.values()))


if __name__ == "__main__":
    {"make": make, "models": models}[sys.argv[1]](*sys.argv[2:])
