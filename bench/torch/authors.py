"""Updates of PEARL and TCL-PEARL by the TCL authors' own programs, on a small problem of package benchmark's numbers.

    git clone --branch simon_work_branch https://github.com/Simon0xzx/garage
    python3 bench/torch/authors.py --sources garage > tcl/tclpearl/testdata/authors.json

Their networks, policies and _optimize_policy (garage/torch/algos/pearl.py and curl.py) run as they are, in float64. Written
here are the initial weights, what replay and the random draws return, and stand-ins for packages that an update does not
need. The weight of the policy's mean regulariser is 0: it is of the mean after tanh, and has no gradient. The output has
the losses in the order in which they are differentiated, three updates in turn, and after each the sums of the networks'
absolute weights and the logarithms of the temperatures.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import types
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from problem import normal, uniform

UPDATES, TRAIN, INDICES = 3, 5, numpy.array([2, 0, 3, 2])
TASKS, BATCH, WINDOW = len(INDICES), 8, 6
OBS, ACT, LATENT, HIDDEN, ENCODER, REWARD_SCALE = 12, 4, 3, 14, 10, 10.0
ROW = OBS + ACT + 1

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--sources", required=True, metavar="FOLDER", help="a checkout of the branch")
args = parser.parse_args()
root = os.path.join(args.sources, "src", "garage")
if not os.path.isfile(os.path.join(root, "torch", "algos", "curl.py")):
    parser.error(f"{args.sources} has no src/garage/torch/algos/curl.py: expected branch simon_work_branch of Simon0xzx/garage")


class Numbers(types.ModuleType):
    """numpy whose float32 is float64, for tables that the program makes itself."""

    float32 = numpy.float64

    def __getattr__(self, name):
        return getattr(numpy, name)


class Base:
    """In the place of base classes."""


def package(name, folder=None, **members):
    module = types.ModuleType(name)
    if folder is not None:
        module.__path__ = [os.path.join(root, folder)]
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


for name in ("akro", "dowel"):
    sys.modules[name] = mock.MagicMock()
package("garage", "", InOutSpec=mock.MagicMock(), TimeStep=mock.MagicMock())
package("garage.envs", EnvSpec=mock.MagicMock())
package("garage.experiment", MetaEvaluator=mock.MagicMock())
package("garage.np", "np")
package("garage.np.algos", MetaRLAlgorithm=Base)
package("garage.np.policies", Policy=Base)
package("garage.np.embeddings", Encoder=Base)
package("garage.replay_buffer", PathBuffer=mock.MagicMock())
package("garage.sampler", DefaultWorker=Base)
package("garage.torch", "torch")
from garage.torch import _functions

sys.modules["garage.torch"].__dict__.update(
    global_device=lambda: torch.device("cpu"), product_of_gaussians=_functions.product_of_gaussians)
package("garage.torch.distributions", "torch/distributions")
from garage.torch.distributions.tanh_normal import TanhNormal

sys.modules["garage.torch.distributions"].TanhNormal = TanhNormal
package("garage.torch.policies", "torch/policies")
package("garage.torch.embeddings", "torch/embeddings")
package("garage.torch.q_functions", "torch/q_functions")
package("garage.torch.algos", "torch/algos")
from garage.torch.embeddings.contrastive_encoder import ContrastiveEncoder
from garage.torch.embeddings.mlp_encoder import MLPEncoder

sys.modules["garage.torch.embeddings"].__dict__.update(MLPEncoder=MLPEncoder, ContrastiveEncoder=ContrastiveEncoder)
from garage.torch.policies.context_conditioned_policy import ContextConditionedPolicy
from garage.torch.policies.curl_policy import CurlPolicy
from garage.torch.policies.tanh_gaussian_mlp_policy import TanhGaussianMLPPolicy

sys.modules["garage.torch.policies"].__dict__.update(ContextConditionedPolicy=ContextConditionedPolicy, CurlPolicy=CurlPolicy)
from garage.torch.algos import curl, pearl
from garage.torch.q_functions.continuous_mlp_q_function import ContinuousMLPQFunction

pearl.np = curl.np = Numbers("numbers")
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def tensor(values, *shape):
    return torch.from_numpy(numpy.ascontiguousarray(values)).view(*shape)


def write(number, layers, heads):
    """Writes a network's weights: stream 1000 number + 10 layer, uniform in ±1/√inputs, and biases of that stream + 1."""
    for k, parts in enumerate([[l] for l in layers] + [heads]):
        m, n = sum(p.out_features for p in parts), parts[0].in_features
        bound, stream = 1 / math.sqrt(n), 1000 * number + 10 * k
        weight, bias = tensor(uniform(stream, n * m, -bound, bound), m, n), tensor(uniform(stream + 1, m, -bound, bound), m)
        for p in parts:
            p.weight.data, weight = weight[: p.out_features].clone(), weight[p.out_features :]
            p.bias.data, bias = bias[: p.out_features].clone(), bias[p.out_features :]


def linear(modules):
    return [layer for module in modules for layer in module.modules() if isinstance(layer, torch.nn.Linear)]


def space(n):
    return mock.MagicMock(flat_dim=n, shape=(n,))


def spec(obs, act):
    return mock.MagicMock(observation_space=space(obs), action_space=space(act))


def algorithm(contrastive):
    """The program as its launchers make it (examples/simon_paper), on networks of this problem's sizes."""
    augmented, sizes = spec(OBS + LATENT, ACT), [HIDDEN] * 3
    q1, q2 = (ContinuousMLPQFunction(env_spec=augmented, hidden_sizes=sizes) for _ in range(2))
    policy = TanhGaussianMLPPolicy(env_spec=augmented, hidden_sizes=sizes)
    module, kind = (curl, curl.CURL) if contrastive else (pearl, pearl.PEARL)
    more = dict(policy_class=CurlPolicy, encoder_class=ContrastiveEncoder, embedding_batch_in_sequence=True, use_kl_loss=True,
                use_q_loss=True, contrastive_mean_only=True, new_contrastive_formula=True, new_weight_update=True,
                encoder_common_net=True, use_wasserstein_distance=True) if contrastive else {}
    encoder_spec = types.SimpleNamespace(input_space=space(ROW), output_space=space(2 * LATENT))
    with mock.patch.object(kind, "get_env_spec", lambda *_: encoder_spec):
        a = kind(env=[lambda: spec(OBS, ACT)], inner_policy=policy, qf1=q1, qf2=q2, num_train_tasks=TRAIN, num_test_tasks=1,
                 latent_dim=LATENT, encoder_hidden_sizes=[ENCODER] * 3, test_env_sampler=None, policy_mean_reg_coeff=0.0,
                 meta_batch_size=TASKS, batch_size=BATCH, embedding_batch_size=WINDOW, reward_scale=REWARD_SCALE, **more)
    encoder = a._policy._context_encoder
    layers = linear(encoder.networks[:2] if contrastive else [encoder])
    write(1, layers[:-1], layers[-1:])
    for number, net in ((2, q1), (3, q2)):
        layers = linear([net])
        write(number, layers[:-1], layers[-1:])
    layers = linear([policy])
    write(5, layers[:-2], layers[-2:])
    nets = {"encoder": encoder.networks[:2] if contrastive else [encoder], "q1": [q1], "q2": [q2], "policy": [policy],
            "q1_target": [a._target_qf1], "q2_target": [a._target_qf2]}
    for target, source in ((a._target_qf1, q1), (a._target_qf2, q2)):
        target.load_state_dict(source.state_dict())
    a._log_alpha.data = tensor(uniform(9, TRAIN, -1, 1), TRAIN)  # theirs begin at 0, all equal
    if contrastive:
        encoder.get_key_net().load_state_dict(encoder.get_query_net().state_dict())
        nets["encoder_key"] = [encoder.get_key_net()]
    return a, nets


def updates(contrastive):
    a, nets = algorithm(contrastive)
    n = TASKS * BATCH
    batch = (tensor(normal(1, n * OBS), TASKS, BATCH, OBS), tensor(uniform(3, n * ACT, -1, 1), TASKS, BATCH, ACT),
             tensor(normal(4, n), TASKS, BATCH, 1), tensor(normal(2, n * OBS), TASKS, BATCH, OBS),
             tensor((uniform(5, n) < 0.1).astype(numpy.float64), TASKS, BATCH, 1))

    def window(stream):
        return tensor(normal(stream, TASKS * WINDOW * ROW), TASKS, WINDOW, ROW)

    a._sample_data = lambda indices: batch
    a._sample_context = lambda indices: window(6)
    a._sample_contrastive_pairs = lambda indices, num_aug: [window(8), window(7)]
    latents, actions, losses = [], [], []
    policy = a._policy

    def sample_z():  # each call of the policy draws twice, and uses the second
        policy.z = policy.z_means + torch.sqrt(policy.z_vars) * (latents[0] if policy.z_means.shape == latents[0].shape else 0)

    def forward(self, obs, context):
        out = kind.forward(self, obs, context)
        latents.pop(0)
        return out

    kind = type(policy)
    policy.forward = types.MethodType(forward, policy)
    policy.sample_from_belief = sample_z
    backward = torch.Tensor.backward

    def noted(loss, *more, **kwargs):
        losses.append(loss.item())
        backward(loss, *more, **kwargs)

    def sample_action(dist):
        z = dist._normal.mean + dist._normal.variance.sqrt() * actions.pop(0)
        return z, torch.tanh(z)

    out = []
    with mock.patch.object(torch.Tensor, "backward", noted), mock.patch.object(TanhNormal, "rsample_with_pre_tanh_value", sample_action):
        for step in range(UPDATES):
            base = 1_000_000 * (step + 1)
            latents[:] = [tensor(normal(base + k, TASKS * LATENT), TASKS, LATENT) for k in (1, 4)]
            actions[:] = [tensor(normal(base + k, n * ACT), n, ACT) for k in (3, 2)]
            del losses[:]
            a._optimize_policy(INDICES)
            assert not latents and not actions
            sums = {name: sum(float(p.detach().abs().sum()) for net in parts for p in net.parameters()) for name, parts in nets.items()}
            sums["policy"] -= float(policy._policy._module._init_std.abs().sum())  # which nothing reads
            out.append({"losses": losses[:], "weights": sums, "log_alpha": a._log_alpha.tolist()})
    return out


def commit():
    git = subprocess.run(["git", "-C", args.sources, "rev-parse", "HEAD"], capture_output=True, text=True)
    return git.stdout.strip() or "unknown"


def rounded(x):
    if isinstance(x, dict):
        return {name: rounded(v) for name, v in x.items()}
    return [rounded(v) for v in x] if isinstance(x, list) else float(f"{x:.13g}")


result = {"program": "Simon0xzx/garage, branch simon_work_branch, PEARL._optimize_policy and CURL._optimize_policy, float64",
          "commit": commit(), "torch": torch.__version__.split("+")[0],
          "updates": {"pearl": rounded(updates(False)), "tcl-pearl": rounded(updates(True))}}
json.dump(result, sys.stdout, indent=1)
print()
