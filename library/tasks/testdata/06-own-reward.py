import matplotlib.pyplot as plt, numpy as np
rng = np.random.default_rng(0)

def reward(obs, action, following):
    return -np.hypot(*(following - obs))

def episode(steps=20):
    obs, total = rng.uniform(-1, 1, 2), 0
    for _ in range(steps):
        action = rng.uniform(-1, 1, 2)
        following = obs + 0.1 * action
        total += reward(obs, action, following)
        obs = following
    return total

plt.hist([episode() for _ in range(100)])
plt.xlabel("reward")
plt.show()
