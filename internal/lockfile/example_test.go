package lockfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"nacre/internal/lockfile"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, ".lock")
	lock, err := lockfile.Take(path)
	if err != nil {
		panic(err)
	}
	_, err = lockfile.Take(path)
	_, held := errors.AsType[*lockfile.HeldError](err)
	fmt.Println(held, lock.Check())
	lock.Close()
	by, err := lockfile.Peek(path)
	fmt.Println(by, err)
	// Output:
	// true <nil>
	// <nil> <nil>
}
