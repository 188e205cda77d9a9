"""Environments that need no package: a point in the plane, by every convention that a class may follow."""
import math
import random


class Box:
    def __init__(self, low, high, n):
        self.low, self.high, self.shape = [low] * n, [high] * n, (n,)


class Base:
    """A point that an action moves by at most 0.1 along each axis; the reward is minus its distance to the goal."""

    horizon = 20
    action_space, observation_space = Box(-0.1, 0.1, 2), Box(-9, 9, 2)
    goal = [0.0, 0.0]

    def place(self, seed):
        r = random.Random(seed)
        self.at = [r.uniform(-1, 1), r.uniform(-1, 1)]
        return list(self.at)

    def reset(self, *, seed=None, options=None):
        return self.place(seed), {}

    def move(self, action):
        self.at = [x + a for x, a in zip(self.at, action)]
        return list(self.at), -math.dist(self.at, self.goal)

    def step(self, action):
        obs, reward = self.move(action)
        return obs, reward, False, False, {"success": reward > -0.2}


def goals(n, seed):
    r = random.Random(seed)
    return [[math.cos(a), math.sin(a)] for a in (r.uniform(0, math.pi) for _ in range(n))]


class Point(Base):
    """sample_tasks with a seed, reset_task."""

    def sample_tasks(self, n, seed):
        return goals(n, seed)

    def reset_task(self, task):
        self.goal = task


class SetTask(Base):
    """sample_tasks without a seed, set_task, tasks that are dicts."""

    def sample_tasks(self, n):
        return [{"x": random.uniform(-1, 1), "y": [random.uniform(0, 1)]} for _ in range(n)]

    def set_task(self, task):
        self.goal = [task["x"], task["y"][0]]


class Options(Base):
    """A task goes in by reset's options."""

    def sample_tasks(self, n, seed):
        return goals(n, seed)

    def reset(self, *, seed=None, options=None):
        self.goal = options["task"]
        return super().reset(seed=seed)


class Indices(Base):
    """oyster's: tasks by index, a step of four values, a reset of one, drawing from the global generator."""

    _max_episode_steps = 20

    def __init__(self, n_tasks=10):
        self.tasks = [{"goal": g} for g in goals(n_tasks, 1337)]

    def get_all_task_idx(self):
        return range(len(self.tasks))

    def reset_task(self, i):
        self.goal = self.tasks[i]["goal"]
        self.reset()

    def reset(self):
        return self.place(random.random())

    def step(self, action):
        obs, reward = self.move(action)
        return obs, reward, False, {}


class Lists(Base):
    """train_tasks and test_tasks; tasks are bytes."""

    train_tasks, test_tasks = [b"a", b"bc", b"d"], [b"xyz", b"q"]

    def set_task(self, task):
        self.goal = [len(task), task[0] / 100]


class Maker:
    """A class that makes environments and knows their tasks."""

    horizon = 15

    def make(self):
        return Options()

    def sample_tasks(self, n, seed):
        return goals(n, seed)


class Old(Base):
    """gym's, before there was a seed of reset."""

    def seed(self, seed):
        self.next = seed

    def reset(self):
        return self.place(self.next)

    def step(self, action):
        obs, reward = self.move(action)
        far = obs[0] ** 2 + obs[1] ** 2 > 4
        return obs, reward, far, {"TimeLimit.truncated": far and obs[0] > 0}


class StepType:
    def __init__(self, name):
        self.name = name


class EnvStep(tuple):
    """garage's."""

    def __new__(cls, action, reward, observation, env_info, step_type):
        made = super().__new__(cls, (None, action, reward, observation, env_info, step_type))
        made.reward, made.observation, made.env_info, made.step_type = reward, observation, env_info, step_type
        return made


class Garage(Point):
    steps = 0

    def reset(self, *, seed=None):
        self.steps = 0
        return self.place(seed), {}

    def step(self, action):
        obs, reward = self.move(action)
        self.steps += 1
        name = "TERMINAL" if obs[0] > 1 else "TIMEOUT" if self.steps == 15 else "MID"
        return EnvStep(action, reward, obs, {"success": reward > -0.2}, StepType(name))


class Specified(Garage):
    """garage's spec says how long an episode is."""

    horizon, spec = None, type("EnvSpec", (), {"max_episode_length": 15})


class Wrapper:
    """As Gymnasium's before 1.0, whose wrappers warn of each attribute that they ask the environment inside for."""

    def __init__(self):
        self.env = Point()

    def __getattr__(self, name):
        raise RuntimeError("it was asked for " + name)

    __getattr__.__module__ = "gymnasium.core"
    action_space, observation_space = Base.action_space, Base.observation_space

    def reset(self, **kwargs):
        return self.env.reset(**kwargs)

    def step(self, action):
        return self.env.step(action)


class Once(Base):
    """No convention: a family of one task."""


class Printing(Point):
    def step(self, action):
        print("a line\nand another")
        return super().step(action)


class Two(Base):
    """Only two tasks."""

    def sample_tasks(self, n, seed):
        r = random.Random(seed)
        return [[r.choice([-1.0, 1.0]), 0.0] for _ in range(n)]

    def set_task(self, task):
        self.goal = task


class Scaled(Base):
    """Actions of unequal bounds, which come back as observations."""

    action_space = Box(0, 0, 2)
    action_space.low, action_space.high = [-2.0, 1.0], [6.0, 4.0]

    def step(self, action):
        return list(action), 0.0, False, False, {}


class Ends(Base):
    """Ends by itself after three steps, or is cut after five."""

    def reset(self, *, seed=None, options=None):
        self.steps, self.ends = 0, seed % 2 == 0
        return [0.0, 0.0], {}

    def step(self, action):
        self.steps += 1
        return [0.0, 0.0], 1.0, self.ends and self.steps == 3, self.steps == 5, {}


def function(n=3):
    made = Indices(n)
    made.horizon = 7
    return made
