"""The meta-update of MAML-TRPO of package benchmark; runs behind common.py.

Written plainly, as one writes it in PyTorch: the inner step with create_graph, the gradient of the divergence through
it once, and for every product with its Hessian one more backward pass through that graph, which is kept. All tasks at a
time: a batch dimension over tasks, and per-task weights after the inner step.
"""
TASKS, ROWS = 20, 2000
SIZES = {"oyster": {"obs": 20, "act": 6, "hidden": 64}, "metaworld": {"obs": 12, "act": 4, "hidden": 100}}
INNER_LR, MAX_KL, ITERATIONS, RESIDUAL, DAMPING, BACKTRACK, TRIES = 0.1, 0.01, 10, 1e-10, 1e-5, 0.8, 15
TYPE = torch.float32


class Batch:
    def __init__(self, obs, act, base):
        draw = lambda k, width: torch.stack([tensor(normal(10 * base(i) + k, ROWS * width), ROWS, width) for i in range(TASKS)]).to(TYPE)
        self.obs, self.act, self.advantage = draw(1, obs), draw(2, act), draw(3, 1).squeeze(2)


def policy(weights, obs):
    """Means of the Gaussian, tasks × rows × act; weights are shared, or have a first dimension of tasks."""
    w0, b0, w1, b1, w2, b2, log_std = weights
    h = torch.tanh(torch.matmul(obs, w0) + b0)
    h = torch.tanh(torch.matmul(h, w1) + b1)
    return torch.matmul(h, w2) + b2, log_std.clamp(min=math.log(1e-6))


def log_prob(distribution, act):
    mean, log_std = distribution
    return (-0.5 * ((act - mean) * torch.exp(-log_std)).square() - log_std - 0.5 * math.log(2 * math.pi)).sum(-1)


def flat(xs):
    return torch.cat([x.reshape(-1) for x in xs])


class Update:
    def __init__(self, size):
        s = SIZES[size]
        obs, act, h = s["obs"], s["act"], s["hidden"]
        self.before, self.after = Batch(obs, act, lambda i: 2 * i), Batch(obs, act, lambda i: 2 * i + 1)
        self.start = []
        for k, (n, m) in enumerate([(obs, h), (1, h), (h, h), (1, h), (h, act), (1, act), (1, act)]):
            bound = 0.1 if n == 1 else math.sqrt(6 / (n + m))
            self.start.append(torch.from_numpy(uniform(1000 + k, n * m, -bound, bound).reshape(n, m)).to(TYPE))

    def noise(self, step):
        return None

    def split(self, v):
        out = []
        for w in self.start:
            out.append(v[: w.numel()].view_as(w))
            v = v[w.numel() :]
        return out

    def adapt(self, weights):
        """The inner step of every task: weights with a first dimension of tasks."""
        each = [w.expand(TASKS, *w.shape) for w in weights]
        loss = -(log_prob(policy(each, self.before.obs), self.before.act) * self.before.advantage).mean(1).sum()
        gradients = torch.autograd.grad(loss, each, create_graph=torch.is_grad_enabled())
        return [w - INNER_LR * g for w, g in zip(each, gradients)]

    def surrogate(self, distribution, old):
        ratio = torch.exp(log_prob(distribution, self.after.act) - log_prob(old, self.after.act))
        return -(ratio * self.after.advantage).mean()

    def divergence(self, old, new):
        (m, s), (m2, s2) = old, new
        return (s2 - s + ((2 * s).exp() + (m - m2).square()) / (2 * (2 * s2).exp()) - 0.5).sum(-1).mean()

    def __call__(self, _):
        weights = [w.clone().requires_grad_(True) for w in self.start]
        adapted = policy(self.adapt(weights), self.after.obs)
        old = tuple(x.detach() for x in adapted)
        loss = self.surrogate(adapted, old)
        gradient = flat(torch.autograd.grad(loss, weights, retain_graph=True))
        slope = flat(torch.autograd.grad(self.divergence(old, adapted), weights, create_graph=True))

        def product(v):
            return flat(torch.autograd.grad(slope.dot(v), weights, retain_graph=True)) + DAMPING * v

        x, r, p = torch.zeros_like(gradient), gradient.clone(), gradient.clone()
        square = r.dot(r)
        for _ in range(ITERATIONS):
            if square < RESIDUAL:
                break
            z = product(p)
            alpha = square / p.dot(z)
            x, r = x + alpha * p, r - alpha * z
            p, square = r + r.dot(r) / square * p, r.dot(r)
        full = x * torch.sqrt(2 * MAX_KL / x.dot(product(x)))
        step, after, kl = torch.zeros_like(full), loss.detach(), 0.0
        for k in range(TRIES):
            candidate = [(w - d).detach().requires_grad_(True) for w, d in zip(weights, self.split(full * BACKTRACK**k))]
            each = self.adapt(candidate)
            with torch.no_grad():
                new = policy(each, self.after.obs)
                found, distance = self.surrogate(new, old), self.divergence(old, new)
            if found < loss and distance <= MAX_KL:
                step, after, kl = full * BACKTRACK**k, found, distance
                break
        return {"loss_before": loss, "grad_norm": gradient.norm(), "loss_after": after, "kl": kl, "step_norm": step.norm()}


serve(SIZES, lambda args: Update(args.size))
