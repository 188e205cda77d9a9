package fetch_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"nacre/internal/fetch"
)

// In a folder that has no wheels, and with a context that is done, nothing is fetched and nothing is left.
func Example() {
	dir, err := os.MkdirTemp("", "nacre")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	parts, err := fetch.Parts("linux", "amd64")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range parts {
		fmt.Println(p, "in", p.Folder)
	}
	fmt.Println(fetch.Get(ctx, parts, fetch.Options{Dir: dir}) != nil)
	fmt.Println(strings.Contains(fmt.Sprint(parts[0].Complete(dir)), "MuJoCo 3.3.0 is not in"))
	// Output:
	// MuJoCo 3.3.0 in mujoco-3.3.0
	// Meta-World 3.1.1 in metaworld-3.1.1
	// true
	// true
}
