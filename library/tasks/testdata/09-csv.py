import matplotlib.pyplot as plt, pandas as pd
from sklearn.manifold import TSNE
data = pd.read_csv("contexts.csv").drop(columns="return")
points = TSNE().fit_transform(data.drop(columns="task"))
plt.scatter(*points.T, c=data["task"], cmap="tab10")
plt.show()
