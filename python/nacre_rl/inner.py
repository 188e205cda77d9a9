"""MAML's inner step: from weights θ to θ' = θ − α∇L(θ), L = −mean(log π(a|o)·A) over episodes on one task."""

import numpy as np

from .files import NacreError


def adapted(agent, trajectories):
    """The tensors of an agent after the inner step on trajectories (observations, actions, rewards)."""
    paths = [path(agent, k, *t) for k, t in enumerate(trajectories)]
    if not sum(len(r) for _, _, r in paths):
        raise NacreError("there is no step to adapt to; expected trajectories with at least one step in all")
    step = agent.description["inner"]
    advantages = normalised(step["advantages"], advantages_of(agent, step, paths))
    o, a = [np.concatenate([p[i] for p in paths]).astype(agent.dtype) for i in (0, 1)]
    rate = agent.dtype(step["rate"])
    tensors = dict(agent.tensors)
    for name, gradient in gradients(agent, o, a, advantages.astype(np.float32)).items():
        tensors[name] = (tensors[name] - rate * gradient).astype(tensors[name].dtype)
    return tensors


def path(agent, k, observations, actions, rewards):
    """A trajectory's steps: observations before each, actions and rewards."""
    o, a = np.asarray(observations, np.float32), np.asarray(actions, np.float32)
    r = np.asarray(rewards, np.float32).ravel()
    if o.shape != (len(r) + 1, agent.observation_size) or a.shape != (len(r), agent.action_size):
        raise NacreError("trajectory %d has observations %s, actions %s and rewards %s; expected (n+1, %d), (n, %d) "
                         "and (n,)" % (k, o.shape, a.shape, r.shape, agent.observation_size, agent.action_size))
    for what, x in (("observations", o), ("actions", a), ("rewards", r)):
        if not np.isfinite(x).all():
            raise NacreError("trajectory %d has %s that are no finite numbers" % (k, what))
    return o[:-1], a, r


def advantages_of(agent, step, paths):
    """The generalised advantages (Schulman et al. 2016, eq. 16) of all steps, with the value 0 after an episode."""
    returns = [sums(r, step["discount"]) for _, _, r in paths]
    out = []
    for (_, _, r), value in zip(paths, values(agent, step, paths, returns)):
        errors = r + step["discount"] * np.append(value[1:], 0.0)[:len(r)] - value
        out.append(sums(errors, step["discount"] * step["lambda"]))
    return np.concatenate(out)


def sums(x, discount):
    """The discounted sums of x from each step to the end."""
    out, total = np.zeros(len(x)), 0.0
    for t in reversed(range(len(x))):
        out[t] = total = float(x[t]) + discount * total
    return out


def values(agent, step, paths, returns):
    """The values of the observations of each path."""
    if step["baseline"] == "network":
        value = agent._network("value")
        return [value.compute(agent._numbers, o)["value"][:, 0].astype(np.float32).astype(float) for o, _, _ in paths]
    if step["baseline"] != "least squares":
        raise NacreError("%s: its advantages need a %s, which is not in the file: `nacre eval` and `nacre rollout` "
                         "adapt this agent" % (agent.path, step["baseline"]))
    rows = [features(o) for o, _, _ in paths]
    weights = fitted(np.concatenate(rows), np.concatenate(returns), step["ridge"], agent.path)
    return [x @ weights for x in rows]


def features(o):
    """What the least squares see of a path: o, o², t/100, (t/100)², (t/100)³, 1."""
    o, t = np.clip(o.astype(float), -10, 10), np.arange(len(o))[:, None] / 100
    return np.concatenate([o, o * o, t, t * t, t * t * t, np.ones_like(t)], axis=1)


def fitted(x, y, ridge, path):
    """The weights of the least squares, with the least ridge from the given one on that allows a solution."""
    gram, right = x.T @ x, x.T @ y
    while ridge < 1e10:
        try:
            lower = np.linalg.cholesky(gram + ridge * np.eye(len(gram)))
            weights = np.linalg.solve(lower.T, np.linalg.solve(lower, right))
            if np.isfinite(weights).all():
                return weights
        except np.linalg.LinAlgError:
            pass
        ridge *= 10
    raise NacreError("%s: the least squares of %d steps have no finite solution" % (path, len(y)))


def normalised(how, advantages):
    if how == "raw":
        return advantages
    if how not in ("std", "variance"):
        raise NacreError("advantages are scaled by %r; expected std, variance or raw: install a newer nacre_rl" % how)
    variance = advantages.var()
    return (advantages - advantages.mean()) / ((variance if how == "variance" else np.sqrt(variance)) + 1e-8)


def gradients(agent, o, a, advantages):
    """∇L by the name of the policy's tensors."""
    policy, tensors, dtype = agent._policy, agent.tensors, agent.dtype
    if policy.activation != "tanh":
        raise NacreError("%s: its policy has the activation %s; expected tanh" % (agent.path, policy.activation))
    hidden = [o]
    for w, b in policy.layers[:-1]:
        hidden.append(np.tanh(hidden[-1] @ tensors[w] + tensors[b]))
    w, b = policy.layers[-1]
    weight = (-advantages.astype(dtype) * dtype(np.float32(1) / np.float32(len(o))))[:, None]
    by_output, out = likelihood(agent, hidden[-1] @ tensors[w] + tensors[b], a, weight)
    for i in reversed(range(len(policy.layers))):
        w, b = policy.layers[i]
        out[w], out[b] = hidden[i].T @ by_output, by_output.sum(0, keepdims=True)
        by_output = (by_output @ tensors[w].T) * (1 - hidden[i] * hidden[i])
    return out


def likelihood(agent, output, a, weight):
    """The derivatives of Σ weight·log π(a) by the network's output, and by tensors that are outputs themselves."""
    if agent.choices:
        by_output, at = np.empty_like(output), 0
        for n in agent.choices:
            logits = output[:, at:at + n]
            p = np.exp(logits - logits.max(1, keepdims=True))
            by_output[:, at:at + n] = weight * (a[:, at:at + n] - p / p.sum(1, keepdims=True))
            at += n
        return by_output, {}
    deviations, scale = agent._policy.outputs[1], agent.dtype(agent.scale)
    raw = agent.tensors[deviations["tensor"]]
    std = np.exp(np.clip(raw, deviations["min"], deviations["max"])) / scale
    z = (a - output / scale) / std
    inside = (raw >= deviations["min"]) & (raw <= deviations["max"])
    return weight * z / std / scale, {deviations["tensor"]: inside * (weight * (z * z - 1)).sum(0, keepdims=True)}
