// Package notebooks holds the notebooks that users start from, as they come with the program: nacre examples copies
// them into a folder of the user's. Its test runs each of them at a reduced size, as `nacre execute` does.
//
//	text, err := notebooks.Files.ReadFile("quickstart.ipynb")
package notebooks

import "embed"

// Files are the notebooks, without their data: the folder data has 27 MB and lies beside the program in a release. They
// are named one by one: copies that users of a checkout have made are not among them.
//
//go:embed controls.ipynb environments.ipynb first-steps.ipynb half-cheetah.ipynb new-loss.ipynb
//go:embed quickstart.ipynb reproduce.ipynb tsne-study.ipynb
var Files embed.FS

// NeedData names the notebook that shows what the data holds.
const NeedData = "tsne-study.ipynb"
