"""The update of the goal-knowing soft actor-critic of package benchmark; runs behind common.py.

Written plainly: torch.nn.Linear layers, one Adam per network and one for the temperatures.
"""
TOLD, TASKS, BATCH = 50, 10, 128
SIZES = {
    "oyster": {"obs": 20, "act": 6, "goal": 1, "hidden": 300},
    "metaworld": {"obs": 12, "act": 4, "goal": 3, "hidden": 400},
}
DISCOUNT, TAU, LEARNING_RATE = 0.99, 0.005, 3e-4
TYPE = torch.float32


def put(values, *shape):
    return torch.from_numpy(values.reshape(shape)).to(TYPE)


def perceptron(widths, streams):
    layers = []
    for n, m in zip(widths, widths[1:]):
        layer = torch.nn.Linear(n, m).to(TYPE)
        bound = math.sqrt(1 / n)
        with torch.no_grad():
            layer.weight.copy_(put(uniform(next(streams), n * m, -bound, bound), n, m).T)
            layer.bias.copy_(put(uniform(next(streams), m, -0.1, 0.1), m))
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


class Update:
    def __init__(self, size):
        self.__dict__.update(SIZES[size])
        n, hidden, streams = TASKS * BATCH, [self.hidden] * 3, iter(range(1001, 2000))
        critic = lambda: perceptron([self.obs + self.act + self.goal, *hidden, 1], streams)
        bound = math.sqrt(1 / TOLD)
        self.log_alpha = put(uniform(1000, TOLD, -bound, bound), TOLD, 1).requires_grad_(True)
        self.q, self.targets = [critic(), critic()], [critic(), critic()]
        self.policy = perceptron([self.obs + self.goal, *hidden, 2 * self.act], streams)
        adam = lambda parameters: torch.optim.Adam(parameters, lr=LEARNING_RATE, foreach=True)
        self.q_adam = adam([p for q in self.q for p in q.parameters()])
        self.policy_adam, self.alpha_adam = adam(self.policy.parameters()), adam([self.log_alpha])

        self.o, self.o2 = put(normal(1, n * self.obs), n, self.obs), put(normal(2, n * self.obs), n, self.obs)
        self.a, self.r = put(uniform(3, n * self.act, -1, 1), n, self.act), put(normal(4, n), n, 1)
        self.alive = 1 - put((uniform(5, n) < 0.01).astype(numpy.float64), n, 1)
        self.g = put(normal(6, TASKS * self.goal), TASKS, self.goal).repeat_interleave(BATCH, 0)
        self.task = (7 * torch.arange(TASKS) % TOLD).repeat_interleave(BATCH)

    def noise(self, step):
        base, n = 1_000_000 * (step + 1), TASKS * BATCH
        return tuple(put(normal(base + k, n * self.act), n, self.act) for k in (1, 2))

    def sample(self, obs, eps):
        mean, log_std = self.policy(torch.cat([obs, self.g], 1)).split(self.act, 1)
        log_std = log_std.clamp(-20, 2)
        action = torch.tanh(mean + log_std.exp() * eps)
        density = -0.5 * eps.square() - log_std - 0.5 * math.log(2 * math.pi) - torch.log(1 - action.square() + 1e-6)
        return action, density.sum(1, keepdim=True)

    def norm(self, network):
        return torch.cat([p.grad.reshape(-1) for p in network.parameters()]).norm()

    def __call__(self, noise):
        eps, eps_next = noise
        alpha = self.log_alpha[self.task].exp().detach()
        with torch.no_grad():
            action, log_pi = self.sample(self.o2, eps_next)
            x = torch.cat([self.o2, action, self.g], 1)
            y = self.r + self.alive * DISCOUNT * (torch.min(*(q(x) for q in self.targets)) - alpha * log_pi)
        x = torch.cat([self.o, self.a, self.g], 1)
        q_loss = sum((q(x) - y).square().mean() for q in self.q)
        self.q_adam.zero_grad()
        q_loss.backward()
        figures = {"q_loss": q_loss.detach(), "alpha": alpha.mean(), "grad_q1": self.norm(self.q[0]), "grad_q2": self.norm(self.q[1])}
        self.q_adam.step()

        for q in self.q:
            q.requires_grad_(False)
        action, log_pi = self.sample(self.o, eps)
        x = torch.cat([self.o, action, self.g], 1)
        policy_loss = (alpha * log_pi - torch.min(*(q(x) for q in self.q))).mean()
        self.policy_adam.zero_grad()
        policy_loss.backward()
        for q in self.q:
            q.requires_grad_(True)
        figures |= {"policy_loss": policy_loss.detach(), "entropy": -log_pi.detach().mean(), "grad_policy": self.norm(self.policy)}
        self.policy_adam.step()

        alpha_loss = -(self.log_alpha[self.task] * (log_pi.detach() - self.act)).mean()
        self.alpha_adam.zero_grad()
        alpha_loss.backward()
        self.alpha_adam.step()
        with torch.no_grad():
            for target, q in zip(self.targets, self.q):
                trailing = list(target.parameters())
                torch._foreach_mul_(trailing, 1 - TAU)
                torch._foreach_add_(trailing, list(q.parameters()), alpha=TAU)
        return figures


serve(SIZES, lambda args: Update(args.size))
