"""The update of package benchmark in PyTorch on an NVIDIA GPU, for nacre bench update --device cuda --vs torch.

Prints one line of JSON (version, the figures of the first update), then for every line "n" on standard input makes n
updates and prints their milliseconds. Noise is drawn and copied before the clock starts; the clock stops when the GPU is done.
For a line "burst n" it makes n updates without waiting between them, all on the last noise, and prints the milliseconds per update.

Three ways of running: op by op; the whole update recorded once as a CUDA graph; the losses compiled by TorchInductor and
the whole recorded. Both Q networks are one batched product per layer, Adam is the fused one.
"""
import argparse
import json
import sys
import time

import torch
from torch.nn.functional import linear, relu, softplus

DEVICE = "cuda"


def tensor(values, *shape):
    return torch.from_numpy(numpy.ascontiguousarray(values.reshape(shape))).to(torch.float32).to(DEVICE)


def layers(number, inputs, hidden, outputs, last):
    widths = [inputs, hidden, hidden, hidden, outputs]
    out = []
    for layer, (n, m) in enumerate(zip(widths, widths[1:])):
        stream = 1000 * number + 10 * layer
        if layer < 3:
            bound, bias = 1 / math.sqrt(m), torch.full((m,), 0.1, device=DEVICE)
        else:
            bound, bias = last, tensor(uniform(stream + 1, m, -last, last), m)
        out += [tensor(uniform(stream, n * m, -bound, bound), m, n), bias]
    return out


def single(w, x):
    for i in (0, 2, 4):
        x = relu(linear(x, w[i], w[i + 1]))
    return linear(x, w[6], w[7])


def pair(w, x):
    """Two networks side by side: weights 2×out×in, biases 2×1×out."""
    x = x.expand(2, -1, -1)
    for i in (0, 2, 4):
        x = relu(torch.baddbmm(w[i + 1], x, w[i].transpose(1, 2)))
    return torch.baddbmm(w[7], x, w[6].transpose(1, 2))


class Update:
    def __init__(self, size, contrastive, compiled):
        self.__dict__.update(SIZES[size])
        self.contrastive = contrastive
        n, row = TASKS * BATCH, self.obs + self.act + 1
        self.enc = layers(1, row, self.encoder, 2 * self.latent, 3e-3)
        q1, q2 = (layers(k, self.obs + self.act + self.latent, self.hidden, 1, 3e-3) for k in (2, 3))
        self.q = [torch.stack([a, b]) if a.dim() == 2 else torch.stack([a, b]).unsqueeze(1) for a, b in zip(q1, q2)]
        self.v = layers(4, self.obs + self.latent, self.hidden, 1, 3e-3)
        self.pi = layers(5, self.obs + self.latent, self.hidden, 2 * self.act, 1e-3)
        self.key, self.target = [w.clone() for w in self.enc], [w.clone() for w in self.v]
        self.adams = []
        for group in (self.enc + self.q, self.v + self.pi):
            for w in group:
                w.requires_grad_(True)
            on_gpu = {"fused": True, "capturable": True} if DEVICE == "cuda" else {}
            self.adams.append(torch.optim.Adam(group, lr=LEARNING_RATE, **on_gpu))

        offset = normal(9, TASKS * row).reshape(TASKS, 1, row)
        window = lambda stream: tensor(normal(stream, TASKS * WINDOW * row).reshape(TASKS, WINDOW, row) + offset, TASKS * WINDOW, row)
        self.s, self.s2 = tensor(normal(1, n * self.obs), n, self.obs), tensor(normal(2, n * self.obs), n, self.obs)
        self.a, self.r = tensor(uniform(3, n * self.act, -1, 1), n, self.act), tensor(normal(4, n), n, 1)
        self.alive = 1 - tensor((uniform(5, n) < 0.01).astype(numpy.float64), n, 1)
        self.query, self.keys = window(6), window(7)
        self.eps_z = torch.zeros(TASKS, self.latent, device=DEVICE)
        self.eps_a = torch.zeros(n, self.act, device=DEVICE)
        self.labels = torch.arange(TASKS, device=DEVICE)
        wrap = torch.compile if compiled else lambda f: f
        self.critic_loss, self.actor_losses = wrap(self.critic_loss), wrap(self.actor_losses)

    def draw(self, step):
        base, n = 1_000_000 * (step + 1), TASKS * BATCH
        self.eps_z.copy_(tensor(normal(base + 1, TASKS * self.latent), TASKS, self.latent))
        self.eps_a.copy_(tensor(normal(base + 2, n * self.act), n, self.act))

    def posterior(self, weights, window):
        h = single(weights, window).view(TASKS, WINDOW, 2, self.latent)
        precision = 1 / softplus(h[:, :, 1]).clamp(min=1e-7)
        variance = 1 / precision.sum(1)
        return variance * (h[:, :, 0] * precision).sum(1), variance

    def critic_loss(self):
        mean, variance = self.posterior(self.enc, self.query)
        z = (mean + variance.sqrt() * self.eps_z).repeat_interleave(BATCH, 0)
        with torch.no_grad():
            value = single(self.target, torch.cat([self.s2, z], 1))
            target = self.reward_scale * self.r + DISCOUNT * self.alive * value
        kl = 0.5 * (variance + mean.square() - 1 - variance.log()).sum()
        q_loss = (pair(self.q, torch.cat([self.s, self.a, z], 1)) - target).square().mean((1, 2)).sum()
        loss, tcl = KL_WEIGHT * kl + q_loss, kl
        if self.contrastive:
            with torch.no_grad():
                key_mean, key_variance = self.posterior(self.key, self.keys)
            distance = (mean[:, None] - key_mean).square().sum(2) + (variance.sqrt()[:, None] - key_variance.sqrt()).square().sum(2)
            tcl = torch.nn.functional.cross_entropy(-distance, self.labels)
            loss = loss + tcl
        return loss, kl, q_loss, tcl, z.detach()

    def actor_losses(self, z):
        sz = torch.cat([self.s, z], 1)
        raw_mean, raw_std = single(self.pi, sz).split(self.act, 1)
        log_std = raw_std.clamp(-20, 2)
        action = torch.tanh(raw_mean + log_std.exp() * self.eps_a)
        log_pi = (-0.5 * self.eps_a.square() - log_std - 0.5 * math.log(2 * math.pi) - torch.log(1 - action.square() + 1e-6)).sum(1, keepdim=True)
        q = pair(self.q, torch.cat([self.s, action, z], 1)).amin(0)
        v_loss = (single(self.v, sz) - (q - log_pi).detach()).square().mean()
        policy_loss = (log_pi - q).mean() + 1e-3 * raw_mean.square().mean() + 1e-3 * log_std.square().mean()
        return v_loss, policy_loss

    def step(self, loss, weights, adam):
        for w, g in zip(weights, torch.autograd.grad(loss, weights)):
            w.grad = g
        adam.step()

    @torch.no_grad()
    def trail(self, target, source):
        torch._foreach_mul_(target, 1 - TAU)
        torch._foreach_add_(target, source, alpha=TAU)

    def __call__(self):
        critics, actors = self.adams
        loss, kl, q_loss, tcl, z = self.critic_loss()
        self.step(loss, self.enc + self.q, critics)
        if self.contrastive:
            self.trail(self.key, self.enc)
        v_loss, policy_loss = self.actor_losses(z)
        self.step(v_loss + policy_loss, self.v + self.pi, actors)  # each depends on one of the two networks only
        self.trail(self.target, self.v)
        figures = {"kl": kl, "q_loss": q_loss, "v_loss": v_loss, "policy_loss": policy_loss}
        if self.contrastive:
            figures["tcl_loss"] = tcl
        return figures


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def state(update):
    """Everything an update changes, to go back after warming up."""
    out = [w for w in update.enc + update.q + update.v + update.pi + update.key + update.target]
    for adam in update.adams:
        for s in adam.state.values():
            out += [x for x in s.values() if torch.is_tensor(x)]
    return out


def recorded(update):
    """The update as a CUDA graph, and the function that replays it."""
    before = [w.detach().clone() for w in state(update)]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            update()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        figures = update()
    with torch.no_grad():
        for w, old in zip(state(update), before):
            w.copy_(old)
        for w in state(update)[len(before):]:
            w.zero_()

    def replay():
        graph.replay()
        return figures

    return replay


def main():
    global DEVICE
    p = argparse.ArgumentParser()
    p.add_argument("--mode", choices=["", "graph", "compile"], default="")
    p.add_argument("--size", choices=SIZES, required=True)
    p.add_argument("--algo", choices=["pearl", "tcl-pearl"], required=True)
    p.add_argument("--tf32", action="store_true")
    p.add_argument("--device", default="cuda")
    args = p.parse_args()
    DEVICE = args.device
    torch.backends.cuda.matmul.allow_tf32 = args.tf32
    update = Update(args.size, args.algo == "tcl-pearl", args.mode == "compile")
    update.draw(0)
    run = recorded(update) if args.mode else update
    wait()
    figures = {name: float(x) for name, x in run().items()}
    way = {"": "op by op", "graph": "CUDA graph", "compile": "compiled, CUDA graph"}[args.mode]
    print(json.dumps({"software": f"PyTorch {torch.__version__}, {way}, {'tf32' if args.tf32 else 'fp32'}", "torch": torch.__version__,
                      "python": sys.version.split()[0], "figures": figures}), flush=True)
    step = 1
    for line in sys.stdin:
        if line.startswith("burst"):
            n = int(line.split()[1])
            wait()
            start = time.perf_counter()
            for _ in range(n):
                run()
            wait()
            print(json.dumps(1e3 * (time.perf_counter() - start) / n), flush=True)
            continue
        ms = []
        for _ in range(int(line)):
            update.draw(step)
            step += 1
            wait()
            start = time.perf_counter()
            run()
            wait()
            ms.append(1e3 * (time.perf_counter() - start))
        print(json.dumps([ms, ms]), flush=True)


main()
