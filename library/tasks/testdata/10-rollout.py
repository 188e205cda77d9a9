import subprocess
import matplotlib.pyplot as plt, numpy as np
subprocess.run(["nacre", "rollout", "--run", "runs/a", "--task", "0", "--out", "episode.npz"], check=True)
episode = np.load("episode.npz")
path, reward = plt.subplots(1, 2)[1]
path.plot(*episode["obs"][:, :2].T)
reward.plot(episode["reward"])
reward.set_xlabel("step")
plt.show()
