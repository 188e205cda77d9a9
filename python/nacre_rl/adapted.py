"""Adaptation to an environment: agents that have explored a task, and their trajectories there."""

import numpy as np

from .files import NacreError

ENDLESS = 1000000  # steps of a trajectory that nothing ends


class Adapted:
    """An agent with its belief about one task.

    agent     -- the agent; of MAML, the one with the weights after the gradient step
    z         -- the embedding that it acts on, a draw from the belief; assign mean to act on the belief's mean. None
                 for RL², VariBAD and MAML
    mean, var -- the belief; None for the oracle, RL² and MAML
    returns   -- of the exploration trajectories
    trial     -- the trial in which RL² or VariBAD explored; None for others

    It is a policy: adapted(observation) is an action. RL² and VariBAD need to know what follows their actions: they act
    in copies of their trial, adapted.trial.copy().
    """

    def __init__(self, agent, env, horizon, z, mean, var, returns, rng, trial=None):
        self.agent, self.env, self.horizon, self.z = agent, env, horizon, z
        self.mean, self.var, self.returns, self.rng, self.trial = mean, var, returns, rng, trial

    def __call__(self, observation, noise=None):
        return self.agent.act(observation, self.z, noise)

    def trajectory(self, seed=None, deterministic=True):
        """One trajectory in the environment: observations (n+1, …), actions (n, …) and rewards (n,).

        RL² and VariBAD begin each one with what they remembered after exploration.
        """
        policy = self.trial.copy() if self.trial else Embedded(self.agent, self.z)
        return rollout(self.agent, self.env, policy, self.horizon, None if deterministic else self.rng, seed)


class Embedded:
    """The policy of an agent under one embedding or task. Like Trial, it is told what follows an action."""

    def __init__(self, agent, z):
        self.agent, self.z = agent, z

    def act(self, observation, noise=None):
        return self.agent.act(observation, self.z, noise)

    def see(self, reward, observation, done=False):
        pass


def rollout(agent, env, policy, horizon, rng, seed):
    """One trajectory of env under a policy: observations, actions, rewards. Without rng actions have no noise."""
    observation, _ = env.reset(seed=seed)
    observations, actions, rewards, done = [np.ravel(observation)], [], [], False
    while not done:
        action = policy.act(observations[-1], None if rng is None else agent.noise(rng))
        observation, reward, terminated, truncated, _ = env.step(scaled(action, env, agent.choices))
        observations.append(np.ravel(observation))
        actions.append(action)
        rewards.append(float(reward))
        done = bool(terminated or truncated or len(rewards) == horizon)
        policy.see(rewards[-1], observations[-1], done)
        if len(rewards) == ENDLESS and not done:
            raise NacreError("the environment has neither terminated nor truncated in %d steps: give "
                             "adapt(env, horizon=…)" % ENDLESS)
    return np.array(observations), np.array(actions), np.array(rewards)


def scaled(action, env, choices=()):
    """The action as env expects it: scaled from [-1, 1] to the bounds of its action_space, where they are finite."""
    space = getattr(env, "action_space", None)
    if choices:
        return chosen(action, space, choices)
    if not hasattr(space, "low"):
        return action
    low, high = np.ravel(space.low).astype(float), np.ravel(space.high).astype(float)
    with np.errstate(over="ignore", invalid="ignore"):
        free = ~(np.isfinite(low) & np.isfinite(high)) | (high - low > 1e30)
    low, high = np.where(free, -1, low), np.where(free, 1, high)
    return np.clip((low + high) / 2 + action * (high - low) / 2, low, high).reshape(space.shape).astype(
        getattr(space, "dtype", float))


def chosen(action, space, choices):
    """What an environment is given for one-hot choices: a number, or several where its space has several."""
    ends = np.cumsum(choices)
    indices = np.array([int(np.argmax(action[end - n:end])) for n, end in zip(choices, ends)])
    indices = indices + np.ravel(getattr(space, "start", 0))
    shape = getattr(space, "shape", None)
    if shape:  # MultiDiscrete and MultiBinary
        return indices.reshape(shape).astype(getattr(space, "dtype", int))
    return int(indices[0])
