"""An epoch of RL²-PPO of package benchmark; runs behind common.py.

Written plainly: torch.nn.GRU over the whole of the trials, whose activations PyTorch keeps, and Adam.
"""
TRIALS, STEPS, HIDDEN, CLIP, LEARNING_RATE = 10, 2000, 64, 0.2, 1e-3
SIZES = {"oyster": {"obs": 20, "act": 6}, "metaworld": {"obs": 12, "act": 4}}
TYPE = torch.float32


class Update:
    def __init__(self, size):
        obs, act = SIZES[size]["obs"], SIZES[size]["act"]
        row = obs + act + 2
        self.gru, self.mean = torch.nn.GRU(row, HIDDEN, batch_first=True).to(TYPE), torch.nn.Linear(HIDDEN, act).to(TYPE)
        self.log_std = torch.nn.Parameter(torch.zeros(act, dtype=TYPE))
        g = self.gru
        self.parameters = [g.weight_ih_l0, g.bias_ih_l0, g.weight_hh_l0, g.bias_hh_l0, self.mean.weight, self.mean.bias, self.log_std]
        for i, (p, n) in enumerate(zip(self.parameters, (row, 1, HIDDEN, 1, HIDDEN, 1, 1))):
            m = p.numel() // n
            bound = 0.1 if n == 1 else math.sqrt(6 / (n + m))
            with torch.no_grad():
                p.copy_(torch.from_numpy(uniform(1000 + i, n * m, -bound, bound).reshape(n, m).T.reshape(p.shape).copy()))
        self.adam = torch.optim.Adam(self.parameters, lr=LEARNING_RATE, foreach=True)
        # Trials are collected in float32, their log probabilities too; that is so where TYPE is float64.
        single = lambda x: x.to(torch.float32).to(TYPE)
        draw = lambda k, *shape: single(torch.stack([torch.from_numpy(normal(10 * i + k, math.prod(shape)).reshape(shape)) for i in range(TRIALS)]))
        self.x, self.act, self.advantage = draw(1, STEPS, row), draw(2, STEPS, act), single(draw(3, STEPS) + 1)
        with torch.no_grad():
            self.old = single(self.log_prob())
        self.weight = single(torch.tensor(1 / (TRIALS * STEPS), dtype=torch.float64))

    def noise(self, step):
        return None

    def log_prob(self):
        z = (self.act - self.mean(self.gru(self.x)[0])) * torch.exp(-self.log_std)
        return (-0.5 * z.square() - self.log_std - 0.5 * math.log(2 * math.pi)).sum(2)

    def __call__(self, _):
        ratio = torch.exp(self.log_prob() - self.old)
        loss = -self.weight * torch.min(ratio * self.advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * self.advantage).sum()
        self.adam.zero_grad()
        loss.backward()
        norm = torch.cat([p.grad.reshape(-1) for p in self.parameters]).norm()
        self.adam.step()
        return {"loss": loss.detach(), "grad": norm}


serve(SIZES, lambda args: Update(args.size))
