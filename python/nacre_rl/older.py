"""Descriptions of weights that an older program wrote without one, from what the run folder says."""

import numpy as np

from . import files
from .files import NacreError

ELSEWHERE = {
    "mql": "adapt on the data of their training: `nacre eval` and `nacre rollout` adapt them"}


def describe(folder, tensors, metadata, path):
    """The description of the agent in a run folder whose file of weights has none. metadata are the file's."""
    if metadata.get("algorithm") in ELSEWHERE:
        raise NacreError("%s: agents of %s %s" % (path, metadata["algorithm"], ELSEWHERE[metadata["algorithm"]]))
    try:
        config = files.config(folder)
    except NacreError as e:
        raise NacreError("%s does not describe its networks, and its run folder does not say what they are: %s"
                         % (path, e)) from None
    algorithm = config.get("algorithm", "unknown")
    try:
        if algorithm == "oracle":
            return oracle(folder, config["oracle"], tensors)
        if algorithm == "maml" and "policy/log_std" in tensors:
            return maml(config["maml"], tensors)
        if "pearl" in config and "encoder/w0" in tensors and algorithm not in ("maml", "mql", "rl2", "varibad"):
            return pearl(config["pearl"], tensors)
    except (KeyError, TypeError, ValueError) as e:
        raise NacreError("%s does not describe its networks, and they are not what config.toml says: %r"
                         % (path, e)) from None
    raise NacreError("%s does not describe its networks, and agents of %s without a description cannot be read: "
                     "`nacre resume` on a run folder with its checkpoint adds one" % (path, algorithm))


def pearl(config, tensors):
    """An agent of PEARL, or of an algorithm built on it."""
    latent, actions = config["latent"], shapes(tensors, "policy")[-1] // 2
    observation, next_observation = shapes(tensors, "policy")[0] - latent, config.get("next_obs_in_context", False)
    standard = {"function": "standardised", "mean_tensor": "obs/mean", "scale_tensor": "obs/scale", "limit": 10}
    views = {}
    if config.get("observations", "raw") == "standardised":
        views = {"observation": standard, "next_observation": standard}
    if config.get("rewards", "raw") == "symlog":
        views["reward"] = {"function": "symlog"}
    context = parts(("observation", observation), ("action", actions), ("reward", 1))
    if next_observation:
        context += parts(("next_observation", observation))
    points = shapes(tensors, "encoder")[-1] == latent
    out = parts(("mean", latent), ("variance", latent))
    out[0 if points else 1].update({"function": "tanh"} if points else {"function": "softplus", "min": 1e-7})
    encoder = perceptron(tensors, "encoder", context, out[:1] if points else out)
    return described({"encoder": encoder, "policy": policy(tensors, observation, ("z", latent))}, views,
                     "average" if points else "product")


def maml(config, tensors):
    """MAML's agent of continuous actions."""
    sizes = shapes(tensors, "policy")
    out = parts(("mean", sizes[-1]), ("log_std", sizes[-1]))
    out[1].update({"tensor": "policy/log_std", "min": float(np.log(config["min_std"])), "max": 20})
    networks = {"policy": dict(perceptron(tensors, "policy", parts(("observation", sizes[0])), out), activation="tanh")}
    baseline = {"linear": "least squares", "mlp": "network"}.get(config["value"], "restarted network")
    if baseline == "network":
        networks["value"] = dict(perceptron(tensors, "value", parts(("observation", sizes[0])), parts(("value", 1))),
                                 activation="tanh")
    step = {"rate": config["inner_lr"], "discount": config["discount"], "lambda": config["gae_lambda"],
            "advantages": config["advantages"], "baseline": baseline, "ridge": config["ridge"]}
    return dict(described(networks, {}, ""), inner=step, scale=config.get("action_scale", 1.0))


def oracle(folder, config, tensors):
    """The agent that is told its task, which its networks see standardised over the train tasks."""
    train, views = files.tasks(folder)["train"], {}
    if not config.get("raw_task", False):
        mean, deviation = train.mean(0), train.std(0)
        still = deviation == 0
        views["task"] = {"function": "standardised", "mean": np.where(still, 0, mean).tolist(),
                         "scale": (1 / np.where(still, 1, deviation)).tolist()}
    observation = shapes(tensors, "policy")[0] - train.shape[1]
    return described({"policy": policy(tensors, observation, ("task", train.shape[1]))}, views, "")


def policy(tensors, observation, condition):
    out = parts(("mean", shapes(tensors, "policy")[-1] // 2), ("log_std", shapes(tensors, "policy")[-1] // 2))
    out[1].update({"min": -20, "max": 2})
    return perceptron(tensors, "policy", parts(("observation", observation), condition), out)


def perceptron(tensors, name, inputs, outputs):
    return {"inputs": inputs, "hidden": shapes(tensors, name)[1:-1], "activation": "relu", "outputs": outputs}


def described(networks, views, belief):
    # "unviewed" says that first layers have the names of others also if networks see their inputs through views
    return {"version": 1, "networks": networks, "views": views, "belief": belief, "unviewed": True}


def parts(*of):
    return [{"name": name, "size": size} for name, size in of]


def shapes(tensors, name):
    """The widths of a network from its inputs to its outputs."""
    layers = 0
    while "%s/w%d" % (name, layers) in tensors:
        layers += 1
    return [tensors[name + "/w0"].shape[0]] + [tensors["%s/w%d" % (name, i)].shape[1] for i in range(layers)]
