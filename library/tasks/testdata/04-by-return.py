import matplotlib.pyplot as plt, pandas as pd
from sklearn.manifold import TSNE
data = pd.read_csv("contexts.csv")
points = TSNE().fit_transform(data.drop(columns=["return", "task"]))
plt.scatter(*points.T, c=data["return"])
plt.colorbar(label="return")
plt.show()
