import pandas as pd, tomllib
configs = [tomllib.load(open(f"runs/{run}/config.toml", "rb")) for run in ("a", "b")]
table = pd.json_normalize(configs).T.astype(str)
print(table[table[0] != table[1]])
