import subprocess
import matplotlib.pyplot as plt, pandas as pd
for n in 2, 3, 5:
    settings = [f"pearl.latent={n}", "pearl.iterations=2", "pearl.updates_per_iteration=5", "evaluation.every=1"]
    command = ["nacre", "train", "--preset", "quick/point-goal", "--out", f"sweep/{n}"]
    subprocess.run(command + [f"--set={s}" for s in settings], check=True)
    metrics = pd.read_csv(f"sweep/{n}/metrics.csv")
    plt.plot(metrics["env_steps"], metrics["adapted_return"], label=n)
plt.legend(title="latent")
plt.xlabel("environment steps")
plt.show()
