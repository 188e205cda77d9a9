//go:build !race

package kernel_test

const raced = false
