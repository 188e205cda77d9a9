package python_test

import (
	"fmt"
	"os"
	"path/filepath"

	"nacre/internal/python"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv(python.Variable, filepath.Join(dir, "python3"))
	defer os.Unsetenv(python.Variable)
	_, err = python.Find()
	fmt.Println(err != nil)
	// Output: true
}
