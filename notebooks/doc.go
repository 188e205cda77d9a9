// Package notebooks holds the notebooks with which users start. They come with the program: nacre examples copies them
// into a folder of the user. Its test runs each of them at a reduced size, as `nacre execute` does.
//
//	text, err := notebooks.Files.ReadFile("quickstart.ipynb")
package notebooks

import "embed"

// Files are the notebooks, without their data: the folder data has 27 MB and is beside the program in a release. They
// are named one by one, so that copies which users of a checkout have made are left out.
//
//go:embed controls.ipynb environments.ipynb first-steps.ipynb half-cheetah.ipynb new-loss.ipynb
//go:embed quickstart.ipynb reproduce.ipynb tsne-study.ipynb
var Files embed.FS

// NeedData is the notebook that shows the studies of the folder data, and so needs this folder.
const NeedData = "tsne-study.ipynb"
