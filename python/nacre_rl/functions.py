"""What agents compute, as functions of matrices that PyTorch, ONNX and others can take over.

An agent of PEARL has policy and encoder, the oracle and MAML policy, RL² step, VariBAD policy and encoder.
"""

import numpy as np

from . import trial


class Function:
    """A function of an agent. inputs are the sizes of its inputs by name; each is a matrix (rows, size)."""

    def __init__(self, compute, **inputs):
        self.inputs, self.compute = inputs, compute  # compute(ops, *inputs) gives outputs by name


def functions(agent):
    """The functions of an agent by name. The first one is the one that acts."""
    o, a = agent.observation_size, agent.action_size
    if agent.memory == "policy":
        n = agent._network("policy/memory").size
        return {"step": Function(lambda ops, *x: step(agent, ops, *x), observation=o, last_action=a, last_reward=1,
                                 last_end=1, state=n)}
    if agent.memory == "belief":
        n = agent._network("encoder/memory").size
        return {"policy": Function(lambda ops, *x: believing(agent, ops, *x), observation=o, state=n),
                "encoder": Function(lambda ops, *x: read(agent, ops, *x), action=a, reward=1, next_observation=o,
                                    state=n)}
    if agent.inner:
        return {"policy": Function(lambda ops, x: unconditioned(agent, ops, x), observation=o)}
    out = {"policy": Function(lambda ops, *x: acting(agent, ops, *x),
                              **{"observation": o, agent._condition: agent.condition_size})}
    if agent.context_width:
        out["encoder"] = Function(lambda ops, x: encoder(agent, ops, x), context=agent.context_width)
    return out


def acting(agent, ops, observation, condition):
    """The action of the mean, and the Gaussian before tanh."""
    out = agent._policy.compute(ops, observation, condition)
    return {"action": ops.function("tanh", out["mean"]), "mean": out["mean"], "log_std": out["log_std"]}


def unconditioned(agent, ops, observation):
    """MAML: the action of the mean, and the Gaussian's logarithm of deviations, or logits."""
    out = agent._policy.compute(ops, observation)
    if "logits" in out or agent.scale == 1:
        return named(out)
    return {"action": out["mean"] * ops.constant(np.array([1 / agent.scale], agent.dtype)),
            "log_std": out["log_std"] - ops.constant(np.array([np.log(agent.scale)], agent.dtype))}


def encoder(agent, ops, context):
    """The belief about one task, (1, latent_size) each, from all rows of its context."""
    mean, variance = agent._product(ops, context)
    return {"mean": mean, "variance": variance}


def step(agent, ops, observation, action, reward, end, state):
    """RL²: the action of the mean, or logits, and the state for the next step. The first state is 0."""
    out, state = trial.remembered(agent, ops, ops.concat([observation, action, reward, end]), state)
    return dict(named(out), next_state=state)


def believing(agent, ops, observation, state):
    """VariBAD: the action of the mean, or logits, and the belief of the encoder's state. The first state is 0."""
    belief = agent._network("encoder/head").compute(ops, state)
    out = agent._policy.compute(ops, observation, belief["mean"], belief["log_var"])
    return dict(named(out), belief_mean=belief["mean"], belief_variance=ops.function("exp", belief["log_var"]))


def read(agent, ops, action, reward, next_observation, state):
    """VariBAD: the encoder's state after a transition."""
    return {"next_state": trial.encoded(agent, ops, ops.concat([action, reward, next_observation]), state)}


def named(out):
    return {"action" if name == "mean" else name: x for name, x in out.items()}
