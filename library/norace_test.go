//go:build !race

package library_test

const raced = false
