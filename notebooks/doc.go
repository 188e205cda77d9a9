// Package notebooks holds the notebooks that users start from. It has no code outside its test, which runs each of them
// at a reduced size, as `nacre run` does.
package notebooks
