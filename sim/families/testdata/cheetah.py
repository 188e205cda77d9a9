"""PEARL's half-cheetah on Gymnasium's: a task is a velocity and the state in which its episodes begin."""

import mujoco
import numpy as np
from gymnasium.envs.mujoco.half_cheetah_v5 import HalfCheetahEnv
from gymnasium.spaces import Box


class Cheetah(HalfCheetahEnv):
    _max_episode_steps = 1000

    def __init__(self, xml="half_cheetah.xml"):
        super().__init__(xml_file=xml)
        self.observation_space = Box(-np.inf, np.inf, (20,))
        self.task = np.zeros(19)

    def sample_tasks(self, n, seed=None):
        rng = np.random.default_rng(seed)
        return [np.concatenate([rng.uniform(0, 3, 1), self.init_qpos + rng.uniform(-0.1, 0.1, 9),
                                0.1 * rng.standard_normal(9)]) for _ in range(n)]

    def reset_task(self, task):
        self.task = np.asarray(task)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        self.set_state(self.task[1:10], self.task[10:])
        return self.seen(), {}

    def step(self, action):
        before = self.data.qpos[0]
        self.do_simulation(action, self.frame_skip)
        velocity = (self.data.qpos[0] - before) / self.dt
        reward = -abs(velocity - self.task[0]) - 0.05 * np.sum(np.square(np.asarray(action, float)))
        return self.seen(), reward, False, False, {}

    def seen(self):
        return np.concatenate([self.data.qpos[1:], self.data.qvel, self.data.body("torso").xpos])
