import glob, tomllib
import matplotlib.pyplot as plt, pandas as pd
frames = []
for folder in glob.glob("runs/*"):
    frame = pd.read_csv(f"{folder}/metrics.csv")
    frame["algorithm"] = tomllib.load(open(f"{folder}/config.toml", "rb"))["algorithm"]
    frames.append(frame)
for name, group in pd.concat(frames).groupby("algorithm"):
    s = group.groupby("env_steps")["adapted_return"].agg(["mean", "sem"])
    plt.plot(s.index, s["mean"], label=name)
    plt.fill_between(s.index, s["mean"] - 1.96 * s["sem"], s["mean"] + 1.96 * s["sem"], alpha=0.2)
plt.xlabel("environment steps")
plt.ylabel("return after adaptation")
plt.legend()
plt.show()
