"""The update of package benchmark in JAX, compiled as a whole, for nacre bench update --device cuda --vs jax.

Prints one line of JSON (version, the figures of the first update), then for every line "n" on standard input makes n
updates and prints their milliseconds. Noise is on the device before the clock starts; the clock stops when the device is done.
For a line "burst n" it makes at least n updates, in scans of 64, without waiting between them, and prints the milliseconds
per update; every scan has the same noise.
"""
import argparse
import json
import sys
import time

import jax
import jax.numpy as jnp

SCAN = 64  # updates that are compiled as one loop


def array(values, *shape):
    return jnp.asarray(values.reshape(shape), jnp.float32)


def layers(number, inputs, hidden, outputs, last):
    widths = [inputs, hidden, hidden, hidden, outputs]
    out = []
    for layer, (n, m) in enumerate(zip(widths, widths[1:])):
        stream = 1000 * number + 10 * layer
        if layer < 3:
            bound, bias = 1 / math.sqrt(m), jnp.full((m,), 0.1, jnp.float32)
        else:
            bound, bias = last, array(uniform(stream + 1, m, -last, last), m)
        out.append((array(uniform(stream, n * m, -bound, bound), m, n).T, bias))
    return out


def apply(net, x):
    for w, b in net[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = net[-1]
    return x @ w + b


def pair(nets, x):
    return jax.vmap(apply, (0, None))(nets, x)


def adam(weights, gradients, moments, t):
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
    c1, c2 = 1 - 0.9**t, 1 - 0.999**t
    move = lambda w, m, v: w - LEARNING_RATE * (m / c1) / (jnp.sqrt(v / c2) + 1e-8)
    return jax.tree.map(move, weights, first, second), (first, second)


def trail(target, source):
    return jax.tree.map(lambda t, s: (1 - TAU) * t + TAU * s, target, source)


def problem(size, contrastive):
    """Data, the state an update changes, and the update."""
    c = SIZES[size]
    obs, act, latent = c["obs"], c["act"], c["latent"]
    n, row = TASKS * BATCH, obs + act + 1
    offset = normal(9, TASKS * row).reshape(TASKS, 1, row)
    window = lambda stream: array(normal(stream, TASKS * WINDOW * row).reshape(TASKS, WINDOW, row) + offset, TASKS * WINDOW, row)
    data = {"s": array(normal(1, n * obs), n, obs), "s2": array(normal(2, n * obs), n, obs), "a": array(uniform(3, n * act, -1, 1), n, act),
            "r": array(normal(4, n), n, 1), "alive": 1 - array((uniform(5, n) < 0.01).astype(numpy.float64), n, 1), "query": window(6), "key": window(7)}
    q = [layers(k, obs + act + latent, c["hidden"], 1, 3e-3) for k in (2, 3)]
    nets = {"critic": {"encoder": layers(1, row, c["encoder"], 2 * latent, 3e-3), "q": jax.tree.map(lambda a, b: jnp.stack([a, b]), *q)},
            "v": layers(4, obs + latent, c["hidden"], 1, 3e-3), "policy": layers(5, obs + latent, c["hidden"], 2 * act, 1e-3)}
    zero = lambda tree: jax.tree.map(jnp.zeros_like, tree)
    state = {"nets": nets, "moments": {k: (zero(x), zero(x)) for k, x in nets.items()}, "t": jnp.float32(0),
             "target": jax.tree.map(jnp.copy, nets["v"]), "key": jax.tree.map(jnp.copy, nets["critic"]["encoder"])}

    def posterior(net, x):
        h = apply(net, x).reshape(TASKS, WINDOW, 2, latent)
        precision = 1 / jnp.maximum(jax.nn.softplus(h[:, :, 1]), 1e-7)
        variance = 1 / precision.sum(1)
        return variance * (h[:, :, 0] * precision).sum(1), variance

    def critic_loss(nets, target, key, d, eps_z):
        mean, variance = posterior(nets["encoder"], d["query"])
        z = jnp.repeat(mean + jnp.sqrt(variance) * eps_z, BATCH, 0)
        fixed = jax.lax.stop_gradient(z)
        y = c["reward_scale"] * d["r"] + DISCOUNT * d["alive"] * apply(target, jnp.concatenate([d["s2"], fixed], 1))
        kl = 0.5 * (variance + mean**2 - 1 - jnp.log(variance)).sum()
        q_loss = ((pair(nets["q"], jnp.concatenate([d["s"], d["a"], z], 1)) - y) ** 2).mean((1, 2)).sum()
        figures = {"kl": kl, "q_loss": q_loss}
        loss = KL_WEIGHT * kl + q_loss
        if contrastive:
            key_mean, key_variance = posterior(key, d["key"])
            distance = ((mean[:, None] - key_mean) ** 2).sum(2) + ((jnp.sqrt(variance)[:, None] - jnp.sqrt(key_variance)) ** 2).sum(2)
            figures["tcl_loss"] = (jax.nn.logsumexp(-distance, 1) + jnp.diagonal(distance)).mean()
            loss = loss + figures["tcl_loss"]
        return loss, (figures, fixed)

    def policy_loss(net, nets, d, z, eps_a):
        h = apply(net, jnp.concatenate([d["s"], z], 1))
        mean, log_std = h[:, :act], jnp.clip(h[:, act:], -20, 2)
        action = jnp.tanh(mean + jnp.exp(log_std) * eps_a)
        log_pi = (-0.5 * eps_a**2 - log_std - 0.5 * math.log(2 * math.pi) - jnp.log(1 - action**2 + 1e-6)).sum(1, keepdims=True)
        q = pair(nets["q"], jnp.concatenate([d["s"], action, z], 1)).min(0)
        loss = (log_pi - q).mean() + 1e-3 * (mean**2).mean() + 1e-3 * (log_std**2).mean()
        return loss, q - log_pi

    def value_loss(net, d, z, y):
        return ((apply(net, jnp.concatenate([d["s"], z], 1)) - y) ** 2).mean()

    def update(state, d, eps_z, eps_a):
        nets, moments, t = dict(state["nets"]), dict(state["moments"]), state["t"] + 1
        (_, (figures, z)), g = jax.value_and_grad(critic_loss, has_aux=True)(nets["critic"], state["target"], state["key"], d, eps_z)
        nets["critic"], moments["critic"] = adam(nets["critic"], g, moments["critic"], t)
        (figures["policy_loss"], y), g = jax.value_and_grad(policy_loss, has_aux=True)(nets["policy"], nets["critic"], d, z, eps_a)
        nets["policy"], moments["policy"] = adam(nets["policy"], g, moments["policy"], t)
        figures["v_loss"], g = jax.value_and_grad(value_loss)(nets["v"], d, z, jax.lax.stop_gradient(y))
        nets["v"], moments["v"] = adam(nets["v"], g, moments["v"], t)
        key = trail(state["key"], nets["critic"]["encoder"]) if contrastive else state["key"]
        return {"nets": nets, "moments": moments, "t": t, "target": trail(state["target"], nets["v"]), "key": key}, figures

    def noise(step):
        base = 1_000_000 * (step + 1)
        return array(normal(base + 1, TASKS * latent), TASKS, latent), array(normal(base + 2, n * act), n, act)

    def many(state, d, eps):
        return jax.lax.scan(lambda s, e: update(s, d, *e), state, eps)

    return data, state, jax.jit(update, donate_argnums=0), jax.jit(many, donate_argnums=0), noise


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", choices=SIZES, required=True)
    p.add_argument("--algo", choices=["pearl", "tcl-pearl"], required=True)
    p.add_argument("--tf32", action="store_true")
    args = p.parse_args()
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if args.tf32 else "float32")
    data, state, update, many, noise = problem(args.size, args.algo == "tcl-pearl")
    state, figures = update(state, data, *noise(0))
    print(json.dumps({"software": f"JAX {jax.__version__} on {jax.devices()[0].platform}, jit, {'tf32' if args.tf32 else 'fp32'}",
                      "python": sys.version.split()[0], "figures": {k: float(x) for k, x in figures.items()}}), flush=True)
    step = 1
    together = None
    for line in sys.stdin:
        if line.startswith("burst"):
            if together is None:
                together = tuple(jnp.stack(x) for x in zip(*[noise(step + i) for i in range(SCAN)]))
                state, figures = jax.block_until_ready(many(state, data, together))
            scans = -(-int(line.split()[1]) // SCAN)
            jax.block_until_ready(state)
            start = time.perf_counter()
            for _ in range(scans):
                state, figures = many(state, data, together)
            jax.block_until_ready((state, figures))
            print(json.dumps(1e3 * (time.perf_counter() - start) / scans / SCAN), flush=True)
            continue
        ms = []
        for _ in range(int(line)):
            eps = jax.block_until_ready(noise(step))
            step += 1
            start = time.perf_counter()
            state, figures = update(state, data, *eps)
            jax.block_until_ready((state, figures))
            ms.append(1e3 * (time.perf_counter() - start))
        print(json.dumps([ms, ms]), flush=True)


main()
