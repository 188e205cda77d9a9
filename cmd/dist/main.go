// Dist writes release archives. For each system an archive has the program, the programs for the browser, the notebooks
// with their data, LICENSE, README and a bill of materials. `make dist` first builds the contents. The same commit
// gives the same bytes: files are sorted, their time is the commit's, and the program is built without paths.
//
//	go run ./cmd/dist [-out out/dist] [-version v1.2.3] [linux/amd64 ...]
//
// With -wheel it writes wheels for pip and uv instead; `make wheel` does. A wheel has the program with the page and the
// notebooks in it, the package nacre_rl of folder python, and the kernelspec for Jupyter.
//
//	go run ./cmd/dist -wheel [-out out/wheel] [-version v1.2.3] [linux/amd64 linux/arm64]
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"nacre/internal/bom"
	"nacre/internal/fetch"
	"nacre/internal/home"
	"nacre/notebooks"
)

// targets are built if no target is named.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64", "windows/amd64"}

// beside are the folders and files that are put beside the program, with the names they have there.
var beside = map[string]string{"bin/wasm": "wasm", "notebooks": "notebooks", "LICENSE": "LICENSE",
	"README.md": "README.md"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("dist: ")
	out := flag.String("out", "", "folder to write (default out/dist, or out/wheel)")
	version := flag.String("version", "", "name of the release (default what git describe says)")
	wheel := flag.Bool("wheel", false, "write wheels")
	flag.Parse()
	write, folder := dist, "dist"
	if *wheel {
		write, folder = wheels, "wheel"
	}
	if err := write(cmp.Or(*out, filepath.Join("out", folder)), *version, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// chosen returns the wanted targets, or all if none is wanted.
func chosen(wanted, all []string) ([]string, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	for _, t := range wanted {
		if !slices.Contains(all, t) {
			return nil, fmt.Errorf("unknown target %s; expected one of %s", t, strings.Join(all, ", "))
		}
	}
	return wanted, nil
}

// versioned returns the name and the time of a release.
func versioned(version string) (string, time.Time, error) {
	stamp, err := strconv.ParseInt(cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), git("log", "-1", "--format=%ct"), "0"),
		10, 64)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return cmp.Or(version, git("describe", "--tags", "--always", "--dirty"), "devel"), time.Unix(stamp, 0).UTC(), nil
}

func dist(out, version string, wanted []string) error {
	wanted, err := chosen(wanted, targets)
	if err != nil {
		return err
	}
	version, when, err := versioned(version)
	if err != nil {
		return err
	}
	shared, err := collect()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range wanted {
		name := fmt.Sprintf("nacre-%s-%s", version, strings.ReplaceAll(t, "/", "-"))
		archive, err := release(out, name, t, shared, when)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		data, err := os.ReadFile(archive)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), filepath.Base(archive))
		fmt.Printf("%s: %.1f MB\n", archive, float64(len(data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// release builds the program for a target and packs it.
func release(out, name, target string, shared []entry, when time.Time) (string, error) {
	system, processor, _ := strings.Cut(target, "/")
	program := "nacre"
	if system == "windows" {
		program += ".exe"
	}
	work, err := os.MkdirTemp("", "nacre-dist")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	binary := filepath.Join(work, program)
	set, without := environment(system, processor)
	if without != "" {
		fmt.Printf("%s: without MuJoCo, because %s\n", target, without)
	}
	if err := compile(binary, target, set); err != nil {
		return "", err
	}
	bill := filepath.Join(work, "bom.json")
	if err := writeBill(bill, binary, name, when); err != nil {
		return "", err
	}
	entries := append([]entry{{name: program, path: binary, mode: 0o755}, {name: "bom.json", path: bill, mode: 0o644}},
		shared...)
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if system == "windows" {
		return writeZip(filepath.Join(out, name+".zip"), name, entries, when)
	}
	return writeTar(filepath.Join(out, name+".tar.gz"), name, entries, when)
}

// compile builds the program for a target.
func compile(binary, target string, set []string) error {
	system, processor, _ := strings.Cut(target, "/")
	fmt.Printf("%s: compiling\n", target)
	// a C compiler that drops the linker's own -s gets it a second time
	build := exec.Command(cmp.Or(os.Getenv("GO"), "go"), "build", "-trimpath", "-ldflags", "-s -w -extldflags=-Wl,-s",
		"-o", binary, "./cmd/nacre")
	if git("rev-parse", "HEAD") == "" {
		build.Args = slices.Insert(build.Args, 2, "-buildvcs=false")
	}
	build.Env = append(append(os.Environ(), "GOOS="+system, "GOARCH="+processor), set...)
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	return build.Run()
}

// writeBill writes what a program is made of, as a bill of materials; a licence that is not allowed is an error.
func writeBill(file, binary, release string, when time.Time) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	parts, err := bom.Release(info)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if !p.Permitted() {
			return fmt.Errorf("the licence of %s %s is %q; expected one of %v", p.Name, p.Version, p.Licence,
				bom.Allowed)
		}
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(bom.Write(out, "nacre", release, when, parts), out.Close())
}

// environment returns the environment of a build. It has cgo and MuJoCo's headers if a C compiler for the target is
// known. Otherwise it returns why not.
func environment(system, processor string) (set []string, without string) {
	plain := []string{"CGO_ENABLED=0"}
	compiler := cmp.Or(os.Getenv("CC"), "cc")
	if processor != runtime.GOARCH {
		compiler = "aarch64-linux-gnu-gcc"
		if processor == "amd64" {
			compiler = "x86_64-linux-gnu-gcc"
		}
	}
	if system != "linux" || runtime.GOOS != "linux" {
		return plain, "it is only put into releases for Linux, built on Linux"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return plain, "there is no " + compiler
	}
	set, err := withMuJoCo(compiler)
	if err != nil {
		return plain, err.Error()
	}
	return set, ""
}

// withMuJoCo returns the environment of a build with MuJoCo, whose headers must be there, by a C compiler.
func withMuJoCo(compiler string) ([]string, error) {
	dir, err := home.Dir()
	if err != nil {
		return nil, err
	}
	include, err := fetch.Include(dir, "/usr", "/usr/local")
	if err != nil {
		return nil, err
	}
	return []string{"CGO_ENABLED=1", "CC=" + compiler, `CGO_CFLAGS=-O2 "-I` + include + `"`,
		"GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -tags=mujoco")}, nil
}

// entry is a file of an archive.
type entry struct {
	name string // name with slashes, within the archive's folder
	path string
	mode fs.FileMode
}

// collect finds what is beside the program in every release.
func collect() ([]entry, error) {
	for file, build := range map[string]string{"web/dist/index.html": "web", "bin/wasm/manifest.json": "wasm",
		"LICENSE": "dist in the checkout"} {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("there is no %s: run make %s first", file, build)
		}
	}
	var entries []entry
	for from, to := range beside {
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				// what notebooks leave
				if rel, _ := filepath.Rel(from, path); rel == "runs" || rel == ".ipynb_checkpoints" {
					return fs.SkipDir
				}
				return nil
			}
			rel, err := filepath.Rel(from, path)
			if err == nil && filepath.Ext(path) != ".go" && !copied(from, rel) {
				entries = append(entries, entry{filepath.ToSlash(filepath.Join(to, rel)), path, 0o644})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// copied reports whether a file beside the notebooks is not shipped, because it is a user's edited copy.
func copied(from, rel string) bool {
	_, err := fs.Stat(notebooks.Files, filepath.ToSlash(rel))
	return from == "notebooks" && filepath.Ext(rel) == ".ipynb" && err != nil
}

// git returns the output of a git command; "" if the command fails.
func git(args ...string) string {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
