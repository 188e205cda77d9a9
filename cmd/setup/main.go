// Setup prepares a checkout for building; `make` calls it before there is a nacre.
//
//	go run ./cmd/setup          fetch MuJoCo and the scenes of Meta-World as `nacre setup` does; say in one line
//	                            what was not possible. The exit status is 0 all the same: the rest of the program
//	                            builds without them. With --install it may install pip with apt-get, as
//	                            nacre setup --install does.
//	go run ./cmd/setup gpu      fetch the library for WebGPU as nacre setup --gpu does; a failure is one line too
//	go run ./cmd/setup flags    print CGO_CFLAGS=... GOFLAGS=... on one line, quoted for the shell, or nothing
//	                            where there are no headers. Use: eval "export $(go run ./cmd/setup flags)"
//	go run ./cmd/setup folders  print the folders of MuJoCo and of the scenes, one a line, whether they are there
//	                            or not
//
// Wheels that lie in the folder .deps, where checkouts used to keep them, are used.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"nacre/internal/fetch"
	"nacre/internal/home"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch args := strings.Join(os.Args[1:], " "); args {
	case "", "--install":
		os.Exit(setup(ctx, args != ""))
	case "gpu":
		os.Exit(setupGPU(ctx))
	case "flags":
		fmt.Print(flags())
	case "folders":
		fmt.Println(strings.Join(append(home.Places(home.MuJoCo)[:1], home.Places(home.MetaWorld)[0]), "\n"))
	default:
		fmt.Fprintf(os.Stderr, "setup: unknown argument %q; expected none, --install, gpu, flags or folders\n", args)
		os.Exit(2)
	}
}

func setup(ctx context.Context, install bool) int {
	parts, err := fetch.Parts(runtime.GOOS, runtime.GOARCH)
	if err == nil {
		err = fetch.Get(ctx, parts, fetch.Options{
			Wheels: []string{".deps"}, Install: install, Say: func(line string) { fmt.Println(line) },
			Command: "make", Asking: "make INSTALL=1",
		})
	}
	if errors.Is(err, context.Canceled) {
		return 130
	}
	if _, missing := include(); missing != nil {
		fmt.Println("Building without MuJoCo:", cmp.Or(err, missing))
	} else if err != nil {
		fmt.Println(err)
	}
	return 0
}

// setupGPU fetches the library that tests of GPUs by WebGPU use; they are skipped if there is none.
func setupGPU(ctx context.Context) int {
	part, err := fetch.WebGPU(runtime.GOOS, runtime.GOARCH)
	if err == nil {
		err = fetch.Get(ctx, []fetch.Part{part}, fetch.Options{
			Wheels: []string{".deps"}, Say: func(line string) { fmt.Println(line) }, Command: "go run ./cmd/setup gpu",
			Asking: "make INSTALL=1",
		})
	}
	if err != nil {
		fmt.Println("Without WebGPU:", err)
	}
	return 0
}

func include() (string, error) {
	dir, err := home.Dir()
	if err != nil {
		return "", err
	}
	return fetch.Include(dir, "/usr", "/usr/local", "/opt/homebrew")
}

// flags are the settings of a build with MuJoCo. Only its headers are needed: the program finds the library when it
// runs.
func flags() string {
	folder, err := include()
	if err != nil {
		return ""
	}
	tags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -tags=mujoco")
	return fmt.Sprintf("CGO_CFLAGS=%s GOFLAGS=%s\n", quote(`-O2 "-I`+folder+`"`), quote(tags))
}

// quote makes text one word of the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
