"""Environments of Gymnasium's, right and wrong."""
import gymnasium
import numpy as np
from gymnasium import spaces


class Reacher(gymnasium.Env):
    """A point and its velocity in the plane, in float32."""

    horizon = 30
    action_space = spaces.Box(-2, 2, (2,))
    observation_space = spaces.Box(-np.inf, np.inf, (4,))

    def sample_tasks(self, n, seed):
        return np.random.default_rng(seed).uniform(-1, 1, (n, 2))

    def set_task(self, task):
        self.goal = task

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.normal(size=4).astype("f4")
        return self.state.copy(), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self.state[2:] += 0.1 * action
        self.state[:2] += 0.1 * self.state[2:]
        return self.state.copy(), -np.sum((self.state[:2] - self.goal) ** 2), False, False, {}


def Limited():
    return gymnasium.wrappers.TimeLimit(Plain(), 12)


class Plain(Reacher):
    horizon = None


class Nested(gymnasium.Env):
    observation_space = spaces.Dict({"a": spaces.Box(-9, 9, (2,)), "goal": spaces.Box(-9, 9, (3,))})
    action_space = spaces.Dict({"x": spaces.Box(-2, 2, (1,)), "y": spaces.Tuple([spaces.Box(0, 1, (2,))])})

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return {"a": self.np_random.normal(size=2), "goal": np.ones(3)}, {}

    def step(self, action):
        return {"a": np.array([action["x"][0], action["y"][0][1]]), "goal": np.zeros(3)}, 1.0, False, False, {}


class Whole(Reacher):
    action_space = spaces.Box(0, 5, (2,), np.int64)


class Mixed(Reacher):
    action_space = spaces.Dict({"a": spaces.Box(0, 1, (2,)), "b": spaces.Discrete(3)})


class Pictures(Reacher):
    observation_space = spaces.Box(0, 255, (32, 32, 3), np.uint8)


class Words(Reacher):
    observation_space = spaces.Text(5)


class Wrong(Reacher):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.wrong(), {}

    def step(self, action):
        return self.wrong(), 0.0, False, False, {}


class Flat(Wrong):
    def wrong(self):
        return np.zeros((2, 1))


class Objects(Wrong):
    def wrong(self):
        return np.array([None, 1, 2, 3])


class Complex(Wrong):
    def wrong(self):
        return np.zeros(4, complex)


class Scalar(Wrong):
    def wrong(self):
        return 3.0


class Uneven(Wrong):
    def wrong(self):
        return [[1.0], [1.0, 2.0], 3.0, 4.0]


class Cart(gymnasium.Wrapper):
    """CartPole with the task's gravity."""
    horizon = 100

    def __init__(self):
        super().__init__(gymnasium.make("CartPole-v1").unwrapped)

    def sample_tasks(self, n, seed):
        return np.random.default_rng(seed).uniform(5, 15, n)

    def set_task(self, gravity):
        self.unwrapped.gravity = float(gravity)


class Cells(gymnasium.Env):
    """A walk over nine cells to the task's: left, not at all or right, by one or two."""
    horizon = 12
    action_space = spaces.MultiDiscrete([3, 2])
    observation_space = spaces.Discrete(9, start=-4)

    def sample_tasks(self, n, seed):
        return np.random.default_rng(seed).integers(-4, 5, n)

    def set_task(self, goal):
        self.goal = int(goal)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return self.at, {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self.at = max(-4, min(4, self.at + int((action[0] - 1) * (1 + action[1]))))
        return self.at, -abs(self.at - self.goal), False, False, {}


class Lost(Cells):
    def step(self, action):
        return 5, 0.0, False, False, {}
