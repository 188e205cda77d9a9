import matplotlib.pyplot as plt, numpy as np, pandas as pd
e = np.load("runs/a/embeddings.npz")

def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

s = pd.DataFrame([[cosine(a, b) for a in e["mean"]] for b in e["mean"]], e["label"], e["label"])
plt.imshow(s.groupby(level=0).mean().T.groupby(level=0).mean())
plt.xlabel("task")
plt.ylabel("other task")
plt.colorbar(label="similarity")
plt.show()
