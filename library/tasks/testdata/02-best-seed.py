import glob, tomllib
import pandas as pd
frames = []
for folder in glob.glob("runs/*"):
    config = tomllib.load(open(f"{folder}/config.toml", "rb"))
    frame = pd.read_csv(f"{folder}/metrics.csv")
    frames.append(frame.assign(algorithm=config["algorithm"], seed=config["seed"]))
best = pd.concat(frames).groupby(["algorithm", "seed"])["adapted_return"].max().reset_index()
print(best.loc[best.groupby("algorithm")["adapted_return"].idxmax()])
