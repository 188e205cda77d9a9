"""A cycle of MQL's training of package benchmark; runs behind common.py.

Written plainly: torch.nn.GRU and functional layers, one Adam per actor and critics.
"""
BATCH = 256
SIZES = {
    "oyster": {"obs": 20, "act": 6, "history": 20, "width": 15, "lr": 1e-3, "every": 2, "noise_scale": 0.3},
    "metaworld": {"obs": 12, "act": 4, "history": 10, "width": 30, "lr": 8e-4, "every": 3, "noise_scale": 0.2},
}
HIDDEN, DISCOUNT, TAU, CLIP = 300, 0.99, 0.005, 0.5
TYPE = torch.float32


class Network(torch.nn.Module):
    """A recurrent unit and perceptrons of two hidden layers that see its last state."""

    def __init__(self, width, context, shapes, streams):
        super().__init__()
        self.gru = torch.nn.GRU(width, context, batch_first=True).to(TYPE)
        with torch.no_grad():
            for p, n in zip((self.gru.weight_ih_l0, self.gru.bias_ih_l0, self.gru.weight_hh_l0, self.gru.bias_hh_l0), (width, 1, context, 1)):
                x = uniform(next(streams), p.numel(), -0.1, 0.1).reshape(n, -1)
                p.copy_(torch.from_numpy(x.T.reshape(p.shape).copy()))
        self.layers = torch.nn.ModuleList()
        for shape in shapes:
            net = torch.nn.ModuleList()
            for n, m in zip(shape, shape[1:]):
                layer = torch.nn.Linear(n, m).to(TYPE)
                bound = math.sqrt(1 / n)
                with torch.no_grad():
                    layer.weight.copy_(torch.from_numpy(uniform(next(streams), n * m, -bound, bound).reshape(n, m).T.copy()))
                    layer.bias.copy_(torch.from_numpy(uniform(next(streams), m, -0.1, 0.1)))
                net.append(layer)
            self.layers.append(net)

    def context(self, history):
        return self.gru(history)[1][0]

    def net(self, k, *x):
        h = torch.cat(x, 1)
        for layer in self.layers[k][:-1]:
            h = torch.relu(layer(h))
        return self.layers[k][-1](h)


class Update:
    def __init__(self, size):
        self.__dict__.update(SIZES[size])
        row, hidden = self.obs + self.act + 1, [HIDDEN, HIDDEN]
        streams = iter(range(1000, 2000))
        actor = lambda: Network(row, self.width, [[self.obs + self.width, *hidden, self.act]], streams)
        critic = lambda: Network(row, self.width, [[self.obs + self.act + self.width, *hidden, 1]] * 2, streams)
        self.actor, self.critic = actor(), critic()
        self.actor_target, self.critic_target = actor(), critic()
        self.actor_adam = torch.optim.Adam(self.actor.parameters(), lr=self.lr, foreach=True)
        self.critic_adam = torch.optim.Adam(self.critic.parameters(), lr=self.lr, foreach=True)
        put = lambda x, *shape: torch.from_numpy(x.reshape(shape)).to(TYPE)
        self.o, self.o2 = put(normal(1, BATCH * self.obs), BATCH, self.obs), put(normal(2, BATCH * self.obs), BATCH, self.obs)
        self.a, self.r = put(uniform(3, BATCH * self.act, -1, 1), BATCH, self.act), put(normal(4, BATCH), BATCH, 1)
        self.alive = 1 - put((uniform(5, BATCH) < 0.01).astype(numpy.float64), BATCH, 1)
        size = BATCH * self.history * row
        self.before, self.after = put(normal(6, size), BATCH, self.history, row), put(normal(7, size), BATCH, self.history, row)

    def noise(self, step):
        return torch.from_numpy(normal(1_000_000 * (step + 1), BATCH * self.act).reshape(BATCH, self.act)).to(TYPE)

    def act_with(self, actor, obs, history):
        return torch.tanh(actor.net(0, obs, actor.context(history)))

    def norm(self, network):
        return torch.cat([p.grad.reshape(-1) for p in network.parameters()]).norm()

    def update(self, eps, actor):
        with torch.no_grad():
            noise = (self.noise_scale * eps).clamp(-CLIP, CLIP)
            action = (self.act_with(self.actor_target, self.o2, self.after) + noise).clamp(-1, 1)
            context = self.critic_target.context(self.after)
            future = torch.min(*(self.critic_target.net(k, self.o2, action, context) for k in range(2)))
            y = self.r + self.alive * DISCOUNT * future
        context = self.critic.context(self.before)
        loss = sum((self.critic.net(k, self.o, self.a, context) - y).square().mean() for k in range(2))
        self.critic_adam.zero_grad()
        loss.backward()
        figures = {"critic_loss": loss.detach()}
        if actor:
            figures["grad_critic"] = self.norm(self.critic)
        self.critic_adam.step()
        if not actor:
            return figures
        for p in self.critic.parameters():
            p.requires_grad_(False)
        action = self.act_with(self.actor, self.o, self.before)
        loss = -self.critic.net(0, self.o, action, self.critic.context(self.before)).mean()
        self.actor_adam.zero_grad()
        loss.backward()
        for p in self.critic.parameters():
            p.requires_grad_(True)
        figures["actor_loss"], figures["grad_actor"] = loss.detach(), self.norm(self.actor)
        self.actor_adam.step()
        with torch.no_grad():
            for target, network in ((self.critic_target, self.critic), (self.actor_target, self.actor)):
                trailing = list(target.parameters())
                torch._foreach_mul_(trailing, 1 - TAU)
                torch._foreach_add_(trailing, list(network.parameters()), alpha=TAU)
        return figures

    def __call__(self, eps):
        figures = self.update(eps, True)
        for _ in range(self.every - 1):
            figures["last_critic_loss"] = self.update(eps, False)["critic_loss"]
        return figures


serve(SIZES, lambda args: Update(args.size))
