"""Agents that PEARL's published code (oyster) trained, as run folders."""

import json
import os

import numpy as np

from . import files
from .files import NacreError

FILES = {"policy": "policy.pth", "encoder": "context_encoder.pth", "q1": "qf1.pth", "q2": "qf2.pth", "v": "vf.pth",
         "v_target": "target_vf.pth"}


def from_oyster(source, out, family, files=None, layers=None, settings=None):
    """Makes a run folder of the state dicts that oyster saved. `nacre eval` and Agent read it. Returns its path.

    source   -- the folder with policy.pth, context_encoder.pth and so on; its variant.json, if it is there, gives
                reward_scale, kl_weight and the numbers of tasks
    out      -- the run folder to make
    family   -- the family of tasks, such as "cheetah-vel"
    files    -- for state dicts of other programs: a dict from policy, encoder, q1, q2, v or v_target to the name of its
                file, or to (file, key) if the state dict lies in a dict in the file
    layers   -- likewise a dict from these to the names of its layers in their order, such as ["0", "2", "4"]; a pair of
                names stands for two layers side by side, as (mean, log_std) of a policy. None: fc0, fc1, …, last_fc
    settings -- a dict of other values of config.toml: {"train_tasks": 30, "pearl.discount": 0.9}

    Activations are taken to be ReLU and contexts rows (o, a, r) or (o, a, r, o'), as in oyster.
    """
    tensors, sizes = {}, {}
    for network, name in dict(FILES, **(files or {})).items():
        if network not in FILES:
            raise NacreError("files has the network %r; expected %s" % (network, ", ".join(FILES)))
        found = matrices(state(source, name), (layers or {}).get(network), "%s of %s" % (network, name))
        sizes[network] = [found[0][0].shape[0]] + [w.shape[1] for w, _ in found]
        for i, (w, b) in enumerate(found):
            tensors["%s/w%d" % (network, i)], tensors["%s/b%d" % (network, i)] = w, b
    config = configured(sizes, variant(source))
    config.update({"algorithm": "pearl", "family": family})
    for key, value in (settings or {}).items():
        config[key] = value
    if os.path.exists(out):
        raise NacreError("%s exists; expected a folder to make" % out)
    os.makedirs(out)
    write_config(os.path.join(out, "config.toml"), config)
    metadata = {"algorithm": "pearl", "family": family, "preset": "", "from": "oyster"}
    save(os.path.join(out, "weights.safetensors"), tensors, metadata)
    return out


def state(source, name):
    """The state dict in a file, as arrays."""
    try:
        import torch
    except ImportError as e:
        raise NacreError("PyTorch is not installed (%s): pip install torch" % e) from None
    name, key = name if isinstance(name, tuple) else (name, None)
    path = os.path.join(source, name)
    if not os.path.isfile(path):
        raise NacreError("%s does not exist; expected a state dict that torch.save wrote" % path)
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as e:  # of many kinds, from pickle, zipfile and torch
        raise NacreError("%s holds no tensors alone: %s" % (path, str(e).strip().split("\n")[0])) from None
    if key is not None:
        if not isinstance(found, dict) or key not in found:
            raise NacreError("%s has no %s; it has %s" % (path, key, some(found)))
        found = found[key]
    if not isinstance(found, dict) or not all(torch.is_tensor(x) for x in found.values()):
        raise NacreError("%s is no state dict of tensors: it has %s" % (path, some(found)))
    return {n: x.to(torch.float32).numpy() for n, x in found.items()}


def some(x):
    return ", ".join(sorted(map(str, x))[:6]) if isinstance(x, dict) else "a " + type(x).__name__


def matrices(tensors, names, what):
    """The matrices of a network's layers, (inputs, outputs) and (1, outputs), from a state dict."""
    if names is None:
        names = ["fc%d" % i for i in range(sum(n.startswith("fc") and n.endswith(".weight") for n in tensors))]
        names.append(("last_fc", "last_fc_log_std") if "last_fc_log_std.weight" in tensors else "last_fc")
    out, left = [], set(tensors)
    for name in names:
        beside = []
        for n in name if isinstance(name, (tuple, list)) else (name,):
            w, b = tensors.get(n + ".weight"), tensors.get(n + ".bias")
            if w is None or b is None or w.ndim != 2 or b.shape != w.shape[:1]:
                raise NacreError("%s has no linear layer %s; it has %s" % (what, n, some(tensors)))
            left -= {n + ".weight", n + ".bias"}
            beside.append((w.T, b[None]))
        if out and out[-1][0].shape[1] != beside[0][0].shape[0]:
            raise NacreError("%s: layer %s has %d inputs; expected %d, the outputs of the layer before"
                             % (what, name, beside[0][0].shape[0], out[-1][0].shape[1]))
        try:
            out.append((np.concatenate([w for w, _ in beside], 1), np.concatenate([b for _, b in beside], 1)))
        except ValueError:
            raise NacreError("%s: layers %s have different inputs" % (what, ", ".join(name))) from None
    if left:
        raise NacreError("%s has tensors that a run's network has no place for: %s"
                         % (what, ", ".join(sorted(left)[:6])))
    for w, b in out:
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise NacreError("%s has weights that are no finite numbers" % what)
    return out


def configured(sizes, variant):
    """The settings that follow from the networks' sizes, and from what oyster was told."""
    latent, actions = sizes["encoder"][-1] // 2, sizes["policy"][-1] // 2
    o = sizes["policy"][0] - latent
    want = {"policy": (o + latent, 2 * actions), "encoder": (sizes["encoder"][0], 2 * latent), "v": (o + latent, 1),
            "v_target": (o + latent, 1), "q1": (o + actions + latent, 1), "q2": (o + actions + latent, 1)}
    for network, ends in want.items():
        have = (sizes[network][0], sizes[network][-1])
        if have != ends or o < 1:
            raise NacreError("%s has %d inputs and %d outputs; expected %d and %d, as policy and encoder mean %d "
                             "numbers of z, %d of the observation and %d of the action"
                             % ((network,) + have + ends + (latent, o, actions)))
    rows = {o + actions + 1: False, 2 * o + actions + 1: True}
    if sizes["encoder"][0] not in rows:
        raise NacreError("encoder has %d inputs; expected %s: (o, a, r) or (o, a, r, o')"
                         % (sizes["encoder"][0], " or ".join(map(str, rows))))
    widths = {n for network in want if network != "encoder" for n in sizes[network][1:-1]}
    depths = {len(sizes[network]) - 2 for network in want if network != "encoder"}
    if len(widths) != 1 or len(depths) != 1 or len(set(sizes["encoder"][1:-1])) != 1:
        raise NacreError("hidden layers have the widths %s; expected one width and depth for policy, Q and V, and one "
                         "width for the encoder" % {n: s[1:-1] for n, s in sizes.items()})
    out = {"pearl.latent": latent, "pearl.hidden": widths.pop(), "pearl.layers": depths.pop(),
           "pearl.encoder_hidden": sizes["encoder"][1], "pearl.encoder_layers": len(sizes["encoder"]) - 2,
           "pearl.next_obs_in_context": rows[sizes["encoder"][0]]}
    params = variant.get("algo_params", {})
    if params.get("use_information_bottleneck") is False:
        raise NacreError("its encoder is deterministic (use_information_bottleneck = false); expected a probabilistic "
                         "one")
    for ours, theirs in (("pearl.reward_scale", "reward_scale"), ("pearl.kl_weight", "kl_lambda"),
                         ("pearl.discount", "discount")):
        if theirs in params:
            out[ours] = float(params[theirs])
    for ours, theirs in (("train_tasks", "n_train_tasks"), ("test_tasks", "n_eval_tasks")):
        if theirs in variant:
            out[ours] = int(variant[theirs])
    return out


def variant(source):
    """What oyster wrote about its settings; {} if it is not there."""
    if not os.path.isfile(os.path.join(source, "variant.json")):
        return {}
    return files.json_of(source, "variant.json", "")


def write_config(path, settings):
    """Writes settings with names such as pearl.latent as TOML."""
    def value(v):
        return json.dumps(v) if isinstance(v, (bool, str)) else repr(v)
    lines = ["%s = %s" % (k, value(v)) for k, v in settings.items() if "." not in k]
    tables = sorted({k.rpartition(".")[0] for k in settings if "." in k})
    for table in tables:
        lines += ["", "[%s]" % table] + ["%s = %s" % (k.rpartition(".")[2], value(v)) for k, v in settings.items()
                                         if k.rpartition(".")[0] == table]
    lines += ["", "[record]", "sessions = []"]  # the program expects this table at the end of a whole file
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def save(path, tensors, metadata):
    """Writes a file of weights in float32."""
    header, body = {"__metadata__": metadata}, b""
    for name in sorted(tensors):
        data = np.ascontiguousarray(tensors[name], "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + body)
