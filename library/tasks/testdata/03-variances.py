import matplotlib.pyplot as plt, numpy as np
plt.hist(np.load("runs/a/embeddings.npz")["std"].ravel() ** 2, bins="auto")
plt.xlabel("variance")
plt.show()
