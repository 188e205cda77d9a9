"""A trained agent: its belief about a task, its actions, its adaptation to an environment."""

import json
import os

import numpy as np

from . import files, older
from .files import NacreError

VERSION = 1  # of the descriptions that this module reads
ENDLESS = 1000000  # steps of a trajectory that nothing ends


class Agent:
    """An agent of PEARL, of an algorithm built on PEARL such as TCL-PEARL or FOCAL, or the oracle.

    directory -- a run folder, the .zip file of one, or a file weights.safetensors
    iteration -- the number of complete iterations whose weights are taken, which the run must have kept (--keep); None:
                 the newest

    Actions are in [-1, 1]. Networks compute in the weights' precision, as the program does on the CPU.
    """

    def __init__(self, directory, iteration=None):
        folder, name = os.fspath(directory), "weights.safetensors"
        if iteration is not None:
            name = os.path.join("weights", "%06d.safetensors" % iteration)
        elif folder.endswith(".safetensors"):
            folder, name = os.path.split(folder)
        folder = files.folder(folder)
        path = os.path.join(folder, name)
        data = files.read(folder or ".", name, ": a run has weights once its first collection is complete"
                          if iteration is None else ": the run keeps weights of iterations with --keep")
        self.path = path
        self.tensors, self.metadata = files.safetensors(data, path)
        if "agent" in self.metadata:
            self.description = described(self.metadata["agent"], path)
        else:
            self.description = older.describe(folder or ".", self.tensors, path)
        self.algorithm = self.metadata.get("algorithm", "")
        self._networks = {}
        policy = self._network("policy")
        if policy is None:
            raise NacreError("%s has no policy" % path)
        self.observation_size = policy.inputs["observation"]
        self._condition = [n for n in policy.inputs if n != "observation"][0]
        self.condition_size = policy.inputs[self._condition]
        self.action_size = policy.outputs[0]["size"]
        encoder = self._network("encoder") if self.description.get("belief") else None
        self.context_width = sum(encoder.inputs.values()) if encoder else 0

    def __repr__(self):
        return "Agent(%r)" % self.path

    def _network(self, name):
        if name not in self._networks:
            described = self.description["networks"].get(name)
            self._networks[name] = described and Network(name, described, self)
        return self._networks[name]

    @property
    def latent_size(self):
        """The length of a task embedding z. NacreError for the oracle, which is told its task."""
        self._encodes()
        return self.condition_size

    def _encodes(self):
        if not self.context_width:
            raise NacreError("%s is an agent of %s, which has no context encoder: tell act the task, as in "
                             "act(observation, task)" % (self.path, self.algorithm or "an unknown algorithm"))

    def context(self, observations, actions, rewards):
        """The context rows of a trajectory: array (steps, context_width).

        observations -- (steps + 1, observation_size), the last one after the last step
        actions      -- (steps, action_size), in [-1, 1]
        rewards      -- (steps,)
        """
        self._encodes()
        o, a = np.asarray(observations, np.float32), np.asarray(actions, np.float32)
        r = np.asarray(rewards, np.float32).reshape(-1, 1)
        parts = {"observation": o[:-1], "action": a, "reward": r, "next_observation": o[1:]}
        try:
            return np.concatenate([parts[name].reshape(len(r), size)
                                   for name, size in self._network("encoder").inputs.items()], axis=1)
        except ValueError:
            raise NacreError("observations %s, actions %s and rewards %s are no trajectory; expected (n+1, %d), "
                             "(n, %d) and (n,)" % (o.shape, a.shape, r.shape[:1], self.observation_size,
                                                   self.action_size)) from None

    def posterior(self, context):
        """The belief about a task from its context: mean and variance, each of length latent_size.

        context -- array (rows, context_width); a row is (observation, action, reward), or (observation, action, reward,
                   next observation) if the run has next_obs_in_context. Without rows the belief is N(0, 1).

        The belief of PEARL is the product of the rows' Gaussians (Rakelly et al. 2019, eq. 2). It does not depend on
        the order of rows.
        """
        self._encodes()
        x = np.asarray(context)
        if x.size == 0:
            return np.zeros(self.latent_size), np.ones(self.latent_size)
        if x.ndim != 2 or x.shape[1] != self.context_width:
            raise NacreError("the context has the shape %s; expected (rows, %d)" % (x.shape, self.context_width))
        out = self._network("encoder")(x)
        mean = out["mean"].astype(float)
        if self.description["belief"] == "average":
            return mean.mean(0), np.full(self.latent_size, 1 / len(x))
        if self.description["belief"] != "product":
            raise NacreError("%s: its belief is %r; expected product or average"
                             % (self.path, self.description["belief"]))
        precision = 1 / out["variance"]
        total = precision.sum(0, dtype=float)
        return (out["mean"] * precision).sum(0, dtype=float) / total, 1 / total

    def act(self, observation, condition, noise=None):
        """The action in [-1, 1]: array (…, action_size).

        observation -- (…, observation_size)
        condition   -- the embedding z (…, latent_size); the task's numbers for the oracle
        noise       -- standard normal numbers (…, action_size); None: the action of the policy's mean
        """
        o, c = np.asarray(observation, float), np.asarray(condition, float)
        for what, x, size in (("observation", o, self.observation_size), (self._condition, c, self.condition_size)):
            if x.ndim < 1 or x.shape[-1] != size:
                raise NacreError("%s has the shape %s; expected (…, %d)" % (what, x.shape, size))
        c = np.broadcast_to(c, o.shape[:-1] + c.shape[-1:])
        out = self._network("policy")(o.reshape(-1, o.shape[-1]), c.reshape(-1, c.shape[-1]))
        u = out["mean"].astype(float).reshape(o.shape[:-1] + (self.action_size,))
        if noise is not None:
            u = u + np.exp(out["log_std"].astype(float)).reshape(u.shape) * np.asarray(noise, float)
        return np.tanh(u)

    def adapt(self, env, trajectories=2, horizon=None, deterministic=True, task=None, seed=None):
        """Explores a task of a Gymnasium environment, whose task is already set, and returns the adapted agent.

        Each trajectory acts on an embedding z drawn from the prior, as PEARL explores. The task's belief is the
        posterior of all transitions. The oracle does not explore; it needs task.

        env           -- reset(seed=…) and step(action) as in Gymnasium; actions are scaled to a bounded action_space
        trajectories  -- the number of exploration trajectories
        horizon       -- steps of a trajectory; None: env.horizon, or until env says terminated or truncated
        deterministic -- the mean's actions; otherwise they are sampled
        task          -- the task's numbers, for the oracle
        seed          -- of env's first reset and of all noise; None: other noise each time
        """
        rng, horizon = np.random.default_rng(seed), horizon or getattr(env, "horizon", None)
        if not self.context_width:
            if task is None:
                raise NacreError("the oracle is told its task: adapt(env, task=…)")
            return Adapted(self, env, horizon, np.asarray(task, float), None, None, [], rng)
        rows, returns = np.zeros((0, self.context_width), np.float32), []
        for k in range(trajectories):
            z = rng.standard_normal(self.latent_size)
            o, a, r = rollout(self, env, z, horizon, None if deterministic else rng, seed if k == 0 else None)
            rows = np.concatenate([rows, self.context(o, a, r)])
            returns.append(float(np.sum(r)))
        mean, var = self.posterior(rows)
        return Adapted(self, env, horizon, mean + np.sqrt(var) * rng.standard_normal(len(mean)), mean, var, returns,
                       rng)


def described(text, path):
    """The description that a file of weights has in its metadata."""
    try:
        description = json.loads(text)
        version = description["version"]
    except (ValueError, KeyError, TypeError) as e:
        raise NacreError("%s: its description is damaged: %s" % (path, e)) from None
    if version not in range(1, VERSION + 1):
        raise NacreError("%s: its description has version %s; this package reads 1 to %d: install a newer nacre_rl"
                         % (path, version, VERSION))
    return description


class Adapted:
    """An agent with its belief about one task. It is a policy: adapted(observation) is an action in [-1, 1].

    z         -- the embedding that it acts on, a draw from the belief; assign mean to act on the belief's mean
    mean, var -- the belief; None for the oracle
    returns   -- of the exploration trajectories
    """

    def __init__(self, agent, env, horizon, z, mean, var, returns, rng):
        self.agent, self.env, self.horizon, self.z = agent, env, horizon, z
        self.mean, self.var, self.returns, self.rng = mean, var, returns, rng

    def __call__(self, observation, noise=None):
        return self.agent.act(observation, self.z, noise)

    def trajectory(self, seed=None, deterministic=True):
        """One trajectory in the environment: observations (n+1, …), actions (n, …) and rewards (n,)."""
        return rollout(self.agent, self.env, self.z, self.horizon, None if deterministic else self.rng, seed)


def rollout(agent, env, z, horizon, rng, seed):
    """One trajectory of env under the embedding z: observations, actions in [-1, 1], rewards."""
    observation, _ = env.reset(seed=seed)
    observations, actions, rewards = [np.ravel(observation)], [], []
    while horizon is None or len(rewards) < horizon:
        noise = None if rng is None else rng.standard_normal(agent.action_size)
        action = agent.act(observations[-1], z, noise)
        observation, reward, terminated, truncated, _ = env.step(scaled(action, env))
        observations.append(np.ravel(observation))
        actions.append(action)
        rewards.append(float(reward))
        if terminated or truncated:
            break
        if len(rewards) == ENDLESS:
            raise NacreError("the environment has neither terminated nor truncated in %d steps: give "
                             "adapt(env, horizon=…)" % ENDLESS)
    return np.array(observations), np.array(actions), np.array(rewards)


def scaled(action, env):
    """What env is given for an action in [-1, 1]: bounds of its action_space, where they are finite."""
    space = getattr(env, "action_space", None)
    if not hasattr(space, "low"):
        return action
    low, high = np.ravel(space.low).astype(float), np.ravel(space.high).astype(float)
    with np.errstate(over="ignore", invalid="ignore"):
        free = ~(np.isfinite(low) & np.isfinite(high)) | (high - low > 1e30)
    low, high = np.where(free, -1, low), np.where(free, 1, high)
    return np.clip((low + high) / 2 + action * (high - low) / 2, low, high).reshape(space.shape).astype(
        getattr(space, "dtype", float))


class Network:
    """A perceptron of a file of weights, with its views. Called with inputs side by side, (rows, inputs)."""

    def __init__(self, name, described, agent):
        self.inputs = {p["name"]: p["size"] for p in described["inputs"]}
        self.outputs, self.activation_name = described["outputs"], described["activation"]
        self.activation = ACTIVATIONS.get(self.activation_name)
        if self.activation is None:
            raise NacreError("%s: network %s has the activation %r; expected one of %s"
                             % (agent.path, name, described["activation"], ", ".join(ACTIVATIONS)))
        self.views = [(size, View(agent.description["views"].get(n), agent)) for n, size in self.inputs.items()]
        viewed = any(v.function for _, v in self.views) and not agent.description.get("unviewed")
        sizes = [sum(self.inputs.values())] + described["hidden"] + [sum(p["size"] for p in self.outputs)]
        self.layers = []
        for i in range(len(sizes) - 1):
            ending = "_viewed" if viewed and i == 0 else ""
            names = ["%s/%s%d%s" % (name, kind, i, ending) for kind in "wb"]
            for n, shape in zip(names, ((sizes[i], sizes[i + 1]), (1, sizes[i + 1]))):
                if n not in agent.tensors or agent.tensors[n].shape != shape:
                    raise NacreError("%s: tensor %s is %s; expected shape %s" % (
                        agent.path, n, agent.tensors[n].shape if n in agent.tensors else "missing", shape))
            self.layers.append([agent.tensors[n] for n in names])
        self.dtype = np.float64 if any(w.dtype == np.float64 for w, _ in self.layers) else np.float32

    def __call__(self, *inputs):
        x = np.concatenate([np.asarray(i, float) for i in inputs], axis=1)
        parts, at = [], 0
        for size, view in self.views:
            parts.append(view(x[:, at:at + size]))
            at += size
        x = np.concatenate(parts, axis=1).astype(self.dtype)
        for i, (w, b) in enumerate(self.layers):
            x = x @ w + b
            if i < len(self.layers) - 1:
                x = self.activation(x)
        out, at = {}, 0
        for p in self.outputs:
            y = x[:, at:at + p["size"]]
            if p.get("function"):
                y = FUNCTIONS[p["function"]](y)
            if "min" in p or "max" in p:
                y = np.clip(y, p.get("min", -np.inf), p.get("max", np.inf)).astype(self.dtype)
            out[p["name"]] = y
            at += p["size"]
        return out


class View:
    """The function through which a network sees an input."""

    def __init__(self, described, agent):
        described = described or {}
        self.function = described.get("function", "")
        if self.function not in ("", "symlog", "standardised"):
            raise NacreError("%s: an input is seen through %r; expected symlog or standardised: install a newer "
                             "nacre_rl" % (agent.path, self.function))
        self.limit = described.get("limit", 0)
        if self.function == "standardised":
            self.mean, self.scale = [
                agent.tensors[described[kind + "_tensor"]] if kind + "_tensor" in described
                else np.array([described[kind]]) for kind in ("mean", "scale")]

    def __call__(self, x):
        if self.function == "symlog":
            return np.sign(x) * np.log1p(np.abs(x))
        if self.function == "standardised":
            y = (x - self.mean) * self.scale
            return np.clip(y, -self.limit, self.limit) if self.limit else y
        return x


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh, "linear": lambda x: x}
FUNCTIONS = {"softplus": softplus, "tanh": np.tanh}
