"""Environments as strangers write them."""
import gymnasium
import numpy as np
from gymnasium import spaces


class Navigation(gymnasium.Env):
    """Draws its tasks from a generator that its constructor seeds from the system, and ignores the seed of reset."""

    horizon = 20
    observation_space = spaces.Box(-np.inf, np.inf, (2,))
    action_space = spaces.Box(-0.1, 0.1, (2,))

    def __init__(self):
        self.seed()

    def seed(self, seed=None):
        self.np_random, seed = gymnasium.utils.seeding.np_random(seed)
        return [seed]

    def sample_tasks(self, num_tasks):
        return [{"goal": g} for g in self.np_random.uniform(-0.5, 0.5, (num_tasks, 2))]

    def reset_task(self, task):
        self.goal = task["goal"]

    def reset(self, seed=None, options=None):
        self.at = self.np_random.uniform(-0.1, 0.1, 2)
        return self.at, {}

    def step(self, action):
        self.at = self.at + action
        return self.at, -np.linalg.norm(self.at - self.goal, keepdims=True), np.bool_(False), False, {}


class Property(Navigation):
    """Draws its tasks from the generator that Gymnasium makes when it is first asked for."""

    def __init__(self):
        pass

    def sample_tasks(self, num_tasks):
        return self.np_random.normal(size=(num_tasks, 2))

    def reset_task(self, task):
        self.goal = task


class Alone(Property):
    """Draws a generator of its own from the system."""

    def sample_tasks(self, num_tasks):
        return np.random.default_rng().normal(size=(num_tasks, 2))


class Single(Property):
    """Draws one task at a time."""

    sample_tasks = None

    def sample_task(self):
        return np.random.normal(size=2)


class Redraws(Property):
    """Draws its task itself when it is told none: one of four."""

    sample_tasks = None

    def reset_task(self, task=None):
        corners = [np.array([x, y]) for x in (-1, 1) for y in (-1, 1)]
        self.goal = corners[np.random.randint(4)] if task is None else task

    def get_task(self):
        return self.goal


class Done(Property):
    """Has four values, and says done after its last step."""

    horizon, max_steps = None, 9

    def reset(self, seed=None, options=None):
        self.steps = 0
        return super().reset()

    def step(self, action):
        self.steps += 1
        obs, reward, _, _, info = super().step(action)
        return obs, reward, self.steps >= 9, info


class Grid(Property):
    """A dict of a small picture, a direction and a text."""

    observation_space = spaces.Dict({"image": spaces.Box(0, 255, (3, 3, 3), np.uint8), "way": spaces.Discrete(4),
                                     "mission": spaces.Text(20)})

    def seen(self):
        return {"image": np.full((3, 3, 3), 7, np.uint8), "way": 2, "mission": "go there"}

    def reset(self, seed=None, options=None):
        super().reset()
        return self.seen(), {}

    def step(self, action):
        return self.seen(), *super().step(action)[1:]


class Mixture(Grid):
    """A tuple of numbers and choices."""

    observation_space = spaces.Tuple([spaces.Box(-9, 9, (2,)), spaces.Discrete(3), spaces.MultiBinary(4)])

    def seen(self):
        return np.zeros(2), 1, [0, 1, 1, 0]


class Texts(Grid):
    observation_space = spaces.Dict({"mission": spaces.Text(20)})


class NeedsScale(Property):
    def __init__(self, scale):
        self.scale = scale


def thunk(id="MountainCarContinuous-v0"):
    """A function that makes a function that makes an environment whose actions a wrapper clips."""
    return lambda: gymnasium.wrappers.ClipAction(gymnasium.make(id))


def normalized():
    return gymnasium.wrappers.NormalizeObservation(gymnasium.make("Pendulum-v1"))


def vector():
    return gymnasium.make_vec("CartPole-v1", num_envs=2)


made = gymnasium.make("CartPole-v1")
