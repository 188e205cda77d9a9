// Package python tests the Python package nacre_rl, which lies in this folder: run folders and trained agents for
// programs in Python, with NumPy alone. It is not package internal/python, which finds the user's Python.
package python
