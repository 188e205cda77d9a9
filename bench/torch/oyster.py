"""One gradient update of PEARL by its authors' own program, on the weights, data and noise of package benchmark.

    git clone https://github.com/katerakelly/oyster
    python3 bench/torch/oyster.py --sources oyster > pearl/testdata/oyster.json

Their networks, agent and _take_step run as they are, in float64. Written here are the initial weights, what the replay
buffer and the two random draws return, and stand-ins for packages that an update does not need (gym, gtimer, joblib). The
output has the figures of three updates in turn and, after each, the sum of the absolute weights of all five networks
and of the trailing value network.
"""
import argparse
import json
import math
import os
import subprocess
import sys
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from problem import BATCH, DISCOUNT, KL_WEIGHT, LEARNING_RATE, SIZES, TASKS, TAU, WINDOW, normal, uniform

UPDATES = 3

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--sources", required=True, metavar="FOLDER", help="a checkout of oyster")
args = parser.parse_args()
if not os.path.isfile(os.path.join(args.sources, "rlkit/torch/sac/sac.py")):
    parser.error(f"{args.sources} has no rlkit/torch/sac/sac.py: expected a checkout of katerakelly/oyster")
sys.path.insert(0, args.sources)
for name in ("gym", "gym.spaces", "gtimer", "joblib"):
    sys.modules[name] = mock.MagicMock()

import rlkit.torch.distributions as distributions
from rlkit.core.rl_algorithm import MetaRLAlgorithm
from rlkit.torch.networks import FlattenMlp, MlpEncoder
from rlkit.torch.sac.agent import PEARLAgent
from rlkit.torch.sac.policies import TanhGaussianPolicy
from rlkit.torch.sac.sac import PEARLSoftActorCritic

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def tensor(values, *shape):
    return torch.from_numpy(numpy.ascontiguousarray(values)).view(*shape)


def write(number, layers, heads, last):
    """Writes a network's weights: stream 1000 number + 10 layer, and one more for the bias of its last layer."""
    for k, layer in enumerate(layers):
        m, n = layer.weight.shape
        layer.weight.data = tensor(uniform(1000 * number + 10 * k, n * m, -1 / math.sqrt(m), 1 / math.sqrt(m)), m, n)
        layer.bias.data = torch.full((m,), 0.1)
    stream, m, n = 1000 * number + 10 * len(layers), sum(h.out_features for h in heads), heads[0].in_features
    weight, bias = tensor(uniform(stream, n * m, -last, last), m, n), tensor(uniform(stream + 1, m, -last, last), m)
    for h in heads:
        h.weight.data, weight = weight[: h.out_features].clone(), weight[h.out_features :]
        h.bias.data, bias = bias[: h.out_features].clone(), bias[h.out_features :]


class Noise(torch.distributions.Normal):
    """A normal distribution whose sample is what was laid ready."""

    ready = None

    def sample(self, shape=torch.Size()):
        assert Noise.ready.shape == self.mean.shape
        return Noise.ready


distributions.Normal = Noise


def updates(size):
    s = SIZES[size]
    obs, act, latent, hidden = s["obs"], s["act"], s["latent"], s["hidden"]
    row, n = obs + act + 1, TASKS * BATCH
    flags = dict(recurrent=False, use_information_bottleneck=True, sparse_rewards=False, use_next_obs_in_context=False)
    encoder = MlpEncoder(hidden_sizes=[s["encoder"]] * 3, input_size=row, output_size=2 * latent)
    q1, q2 = (FlattenMlp(hidden_sizes=[hidden] * 3, input_size=obs + act + latent, output_size=1) for _ in range(2))
    v = FlattenMlp(hidden_sizes=[hidden] * 3, input_size=obs + latent, output_size=1)
    policy = TanhGaussianPolicy(hidden_sizes=[hidden] * 3, obs_dim=obs + latent, latent_dim=latent, action_dim=act)
    for number, net in enumerate((encoder, q1, q2, v), 1):
        write(number, net.fcs, [net.last_fc], 3e-3)
    write(5, policy.fcs, [policy.last_fc, policy.last_fc_log_std], 1e-3)
    agent = PEARLAgent(latent, encoder, policy, **flags)

    def run_of(self, env, agent, **kwargs):  # what an update reads of the run
        self.agent, self.eval_statistics = agent, None
        self.batch_size, self.discount, self.reward_scale = BATCH, DISCOUNT, s["reward_scale"]

    with mock.patch.object(MetaRLAlgorithm, "__init__", run_of):
        algorithm = PEARLSoftActorCritic(
            None, [], [], latent, [agent, q1, q2, v], policy_lr=LEARNING_RATE, qf_lr=LEARNING_RATE, vf_lr=LEARNING_RATE,
            context_lr=LEARNING_RATE, kl_lambda=KL_WEIGHT, soft_target_tau=TAU, **flags)
    batch = [
        tensor(normal(1, n * obs), TASKS, BATCH, obs), tensor(uniform(3, n * act, -1, 1), TASKS, BATCH, act),
        tensor(normal(4, n), TASKS, BATCH, 1), tensor(normal(2, n * obs), TASKS, BATCH, obs),
        tensor((uniform(5, n) < 0.01).astype(numpy.float64), TASKS, BATCH, 1),
    ]
    algorithm.sample_sac = lambda indices: batch
    offset = normal(9, TASKS * row).reshape(TASKS, 1, row)
    context = tensor(normal(6, TASKS * WINDOW * row).reshape(TASKS, WINDOW, row) + offset, TASKS, WINDOW, row)
    out = []
    for step in range(UPDATES):
        base = 1_000_000 * (step + 1)
        eps = tensor(normal(base + 1, TASKS * latent), TASKS, latent)
        agent.sample_z = lambda: setattr(agent, "z", agent.z_means + torch.sqrt(agent.z_vars) * eps)
        Noise.ready = tensor(normal(base + 2, n * act), n, act)
        algorithm.eval_statistics = None
        algorithm._take_step(list(range(TASKS)), context)
        said = algorithm.eval_statistics
        figures = {name: float(said[theirs]) for name, theirs in {
            "kl": "KL Divergence", "q_loss": "QF Loss", "v_loss": "VF Loss", "policy_loss": "Policy Loss"}.items()}
        sums = {name: sum(float(p.abs().sum()) for p in net.parameters()) for name, net in {
            "encoder": encoder, "q1": q1, "q2": q2, "v": v, "policy": policy, "v_target": algorithm.target_vf}.items()}
        out.append({"figures": figures, "weights": sums})
    return out


def commit():
    git = subprocess.run(["git", "-C", args.sources, "rev-parse", "HEAD"], capture_output=True, text=True)
    return git.stdout.strip() or "unknown"


def round12(value):
    return float(f"{value:.12g}")


result = {"program": "katerakelly/oyster, PEARLSoftActorCritic._take_step, float64", "commit": commit(), "torch": torch.__version__,
          "sizes": {size: [{k: {name: round12(x) for name, x in v.items()} for k, v in u.items()} for u in updates(size)] for size in SIZES}}
json.dump(result, sys.stdout, indent=1)
print()
