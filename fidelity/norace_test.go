//go:build !race

package fidelity

const raced = false
