"""The update of PEARL and TCL-PEARL of package benchmark; runs behind common.py.

Written to be fast on a CPU: one multi-tensor Adam per network, moving averages in one call, no gradient that no
optimiser uses, one forward pass of every network per set of weights.
"""
from torch.nn.functional import cross_entropy, linear, relu, softplus


class Network:
    """A perceptron with three hidden layers of ReLU, its gradient step and, on request, a trailing copy."""

    def __init__(self, number, inputs, hidden, outputs, last):
        widths = [inputs, hidden, hidden, hidden, outputs]
        self.weights = []
        for layer, (n, m) in enumerate(zip(widths, widths[1:])):
            stream = 1000 * number + 10 * layer
            if layer < 3:
                bound, bias = 1 / math.sqrt(m), torch.full((m,), 0.1)
            else:
                bound, bias = last, tensor(uniform(stream + 1, m, -last, last), m)
            self.weights += [tensor(uniform(stream, n * m, -bound, bound), m, n), bias]
        for w in self.weights:
            w.requires_grad_(True)
        self.adam = torch.optim.Adam(self.weights, lr=LEARNING_RATE, foreach=True)
        self.trailing = [w.detach().clone() for w in self.weights]

    def __call__(self, x, weights=None):
        w = weights or self.weights
        for i in (0, 2, 4):
            x = relu(linear(x, w[i], w[i + 1]))
        return linear(x, w[6], w[7])

    def step(self, gradients):
        for w, g in zip(self.weights, gradients):
            w.grad = g
        self.adam.step()

    @torch.no_grad()
    def trail(self):
        torch._foreach_mul_(self.trailing, 1 - TAU)
        torch._foreach_add_(self.trailing, self.weights, alpha=TAU)


class Update:
    def __init__(self, size, contrastive):
        self.__dict__.update(SIZES[size])
        self.contrastive = contrastive
        n, row = TASKS * BATCH, self.obs + self.act + 1
        self.encoder_net = Network(1, row, self.encoder, 2 * self.latent, 3e-3)
        self.q1 = Network(2, self.obs + self.act + self.latent, self.hidden, 1, 3e-3)
        self.q2 = Network(3, self.obs + self.act + self.latent, self.hidden, 1, 3e-3)
        self.v = Network(4, self.obs + self.latent, self.hidden, 1, 3e-3)
        self.policy = Network(5, self.obs + self.latent, self.hidden, 2 * self.act, 1e-3)

        offset = normal(9, TASKS * row).reshape(TASKS, 1, row)
        window = lambda stream: tensor(normal(stream, TASKS * WINDOW * row).reshape(TASKS, WINDOW, row) + offset, TASKS * WINDOW, row)
        self.s, self.s2 = tensor(normal(1, n * self.obs), n, self.obs), tensor(normal(2, n * self.obs), n, self.obs)
        self.a, self.r = tensor(uniform(3, n * self.act, -1, 1), n, self.act), tensor(normal(4, n), n, 1)
        self.alive = 1 - tensor((uniform(5, n) < 0.01).astype(numpy.float64), n, 1)
        self.query, self.key = window(6), window(7)

    def noise(self, step):
        base, n = 1_000_000 * (step + 1), TASKS * BATCH
        return tensor(normal(base + 1, TASKS * self.latent), TASKS, self.latent), tensor(normal(base + 2, n * self.act), n, self.act)

    def posterior(self, window, weights=None):
        h = self.encoder_net(window, weights).view(TASKS, WINDOW, 2, self.latent)
        precision = 1 / softplus(h[:, :, 1]).clamp(min=1e-7)
        variance = 1 / precision.sum(1)
        return variance * (h[:, :, 0] * precision).sum(1), variance

    def __call__(self, noise):
        eps_z, eps_a = noise
        mean, variance = self.posterior(self.query)
        z = (mean + variance.sqrt() * eps_z).repeat_interleave(BATCH, 0)
        sz = torch.cat([self.s, z.detach()], 1)

        # critics, encoder
        saz = torch.cat([self.s, self.a, z], 1)
        with torch.no_grad():
            target = self.reward_scale * self.r + DISCOUNT * self.alive * self.v(torch.cat([self.s2, z], 1), self.v.trailing)
        kl = 0.5 * (variance + mean.square() - 1 - variance.log()).sum()
        q_loss = (self.q1(saz) - target).square().mean() + (self.q2(saz) - target).square().mean()
        figures = {"kl": kl, "q_loss": q_loss}
        loss = KL_WEIGHT * kl + q_loss
        if self.contrastive:
            with torch.no_grad():
                key_mean, key_variance = self.posterior(self.key, self.encoder_net.trailing)
            distance = (mean[:, None] - key_mean).square().sum(2) + (variance.sqrt()[:, None] - key_variance.sqrt()).square().sum(2)
            figures["tcl_loss"] = cross_entropy(-distance, torch.arange(TASKS))
            loss = loss + figures["tcl_loss"]
        trained = (self.q1, self.q2, self.encoder_net)
        gradients = iter(torch.autograd.grad(loss, [w for net in trained for w in net.weights]))
        for net in trained:
            net.step([next(gradients) for _ in net.weights])
        if self.contrastive:
            self.encoder_net.trail()

        # the policy's action under the stepped critics
        raw_mean, raw_std = self.policy(sz).split(self.act, 1)
        log_std = raw_std.clamp(-20, 2)
        action = torch.tanh(raw_mean + log_std.exp() * eps_a)
        log_pi = (-0.5 * eps_a.square() - log_std - 0.5 * math.log(2 * math.pi) - torch.log(1 - action.square() + 1e-6)).sum(1, keepdim=True)
        q_input = torch.cat([self.s, action, z.detach()], 1)
        q = torch.min(self.q1(q_input), self.q2(q_input))

        v_loss = (self.v(sz) - (q - log_pi).detach()).square().mean()
        self.v.step(torch.autograd.grad(v_loss, self.v.weights))
        self.v.trail()
        policy_loss = (log_pi - q).mean() + 1e-3 * raw_mean.square().mean() + 1e-3 * log_std.square().mean()
        self.policy.step(torch.autograd.grad(policy_loss, self.policy.weights))
        return {**figures, "v_loss": v_loss, "policy_loss": policy_loss}


serve(SIZES, lambda args: Update(args.size, args.algo == "tcl-pearl"))
