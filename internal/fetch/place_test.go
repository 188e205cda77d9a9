//go:build linux

package fetch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"nacre/internal/home"
	"nacre/internal/python"
)

// files writes files with their contents into a folder.
func files(t *testing.T, dir string, of map[string]string) {
	t.Helper()
	for name, text := range of {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// venv makes an active environment of Python with the packages of the two wheels installed, MuJoCo in a version.
func venv(t *testing.T, version string) (site string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my env")
	site = filepath.Join(dir, "lib", "python3.11", "site-packages")
	files(t, dir, map[string]string{"bin/python3": "#!/bin/sh\nexit 1\n", "pyvenv.cfg": "version = 3.11.7\n"})
	if err := os.Chmod(filepath.Join(dir, "bin", "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, wheel := range map[string]string{"mujoco-" + version: mujocoWheel, "metaworld-3.1.1": metaworldWheel} {
		record := ""
		for file, text := range contents[wheel] {
			if !strings.Contains(file, ".dist-info") {
				record += fmt.Sprintf("%s,sha256=abc,%d\n", file, len(text))
				files(t, site, map[string]string{file: text})
			}
		}
		files(t, site, map[string]string{name + ".dist-info/RECORD": record + name + ".dist-info/RECORD,,\n"})
	}
	t.Setenv(python.Variable, "")
	t.Setenv("VIRTUAL_ENV", dir)
	return site
}

// get fetches MuJoCo and Meta-World from wheels that lie ready and returns what was said.
func get(t *testing.T, dir string, o Options) (said string, err error) {
	t.Helper()
	o.Dir = dir
	o.Say = func(line string) { said += line + "\n" }
	err = Get(t.Context(), linux(t), o)
	return said, err
}

// What the active environment has in the right version is used there; nothing is written, and so nothing has to be
// writable.
func TestUsedInPlace(t *testing.T) {
	site := venv(t, "3.3.0")
	cache := filepath.Join(t.TempDir(), "nacre")
	said, err := get(t, cache, Options{pip: []string{"false"}})
	if err != nil || strings.Count(said, "\n") != 2 {
		t.Fatalf("said %q, %v", said, err)
	}
	if _, err := os.Stat(cache); err == nil {
		t.Error("a cache was made")
	}
	for _, want := range []string{"MuJoCo 3.3.0 is in " + filepath.Join(site, "mujoco"), "Meta-World 3.1.1 is in " +
		filepath.Join(site, "metaworld"), "VIRTUAL_ENV", "nothing is fetched"} {
		if !strings.Contains(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	}
	if include, err := Include(t.TempDir()); err != nil || include != filepath.Join(site, "mujoco", "include") {
		t.Errorf("headers in %q, %v", include, err)
	}
	if folder, err := home.InPython("mujoco", home.MuJoCoVersion); err != nil ||
		folder != filepath.Join(site, "mujoco") {
		t.Errorf("found in %q, %v", folder, err)
	}
}

// What is there in another version or not whole is said and not used; the wheel that lies ready is.
func TestNotUsedInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		spoil   func(site string)
		want    string
	}{
		"older":       {"3.2.7", func(string) {}, "mujoco 3.2.7 in "},
		"newer":       {"3.10.0", func(string) {}, "mujoco 3.10.0 in "},
		"a candidate": {"3.3.0rc1", func(string) {}, "mujoco 3.3.0rc1 in "},
		"half a library": {"3.3.0", func(s string) {
			os.Truncate(filepath.Join(s, "mujoco", "libmujoco.so.3.3.0"), 3)
		}, "libmujoco.so.3.3.0 is missing or has another size than 7"},
		"no library": {"3.3.0", func(s string) { os.Remove(filepath.Join(s, "mujoco", "libmujoco.so.3.3.0")) },
			"not whole"},
		"no list of files": {"3.3.0", func(s string) {
			os.Remove(filepath.Join(s, "mujoco-3.3.0.dist-info", "RECORD"))
		}, "RECORD"},
		"of another system": {"3.3.0", func(s string) {
			files(t, s, map[string]string{"mujoco-3.3.0.dist-info/RECORD": "mujoco/__init__.py,sha256=a,6\n"})
		}, "it has no lib/libmujoco.so.3.3.0"},
		"broken off": {"3.3.0", func(s string) { os.RemoveAll(filepath.Join(s, "mujoco-3.3.0.dist-info")) }, ""},
	} {
		site := venv(t, c.version)
		c.spoil(site)
		wheels, dir := t.TempDir(), t.TempDir()
		writeWheel(t, wheels, mujocoWheel)
		said, err := get(t, dir, Options{Wheels: []string{wheels}, pip: []string{"false"}})
		if err != nil || !strings.Contains(said, c.want) || linux(t)[0].Complete(dir) != nil {
			t.Errorf("%s: said %q, %v", name, said, err)
		}
		if c.want != "" && !strings.Contains(said, "is not used") {
			t.Errorf("%s: said %q", name, said)
		}
	}
}

// An environment that uv has made has no pip; uv does as well, and compares the sums.
func TestUVWithoutPip(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	tree := t.TempDir()
	files(t, tree, contents[mujocoWheel])
	script := fmt.Sprintf(`#!/bin/sh
echo "$@" >>%[1]s/asked
[ "$2" = --help ] && exit 0
for last; do :; done
grep -q -- --hash=sha256:607df8af "$last" || { echo "no hash in $last" >&2; exit 1; }
while [ "$1" != --target ]; do shift; done
cp -r %[2]s "$2"
`, bin, tree)
	files(t, bin, map[string]string{"uv": script})
	if err := os.Chmod(filepath.Join(bin, "uv"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	if err := Get(t.Context(), linux(t)[:1], Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	asked, _ := os.ReadFile(filepath.Join(bin, "asked"))
	if err := linux(t)[0].Complete(dir); err != nil ||
		!strings.Contains(string(asked), "--python-platform x86_64-manylinux2014") {
		t.Errorf("%v; uv was asked %q", err, asked)
	}
	empty(t, dir, "mujoco-3.3.0")
}

// A part that is half there is said, and the whole one takes its place.
func TestHalfWrittenCache(t *testing.T) {
	for name, c := range map[string]struct {
		have map[string]string
		want string
	}{
		"no list": {map[string]string{"mujoco-3.3.0/lib/libmujoco.so.3.3.0": "library"},
			"it has no list of its files"},
		"an empty file": {map[string]string{"mujoco-3.3.0/FILES": "7 lib/libmujoco.so.3.3.0\n",
			"mujoco-3.3.0/lib/libmujoco.so.3.3.0": ""}, "libmujoco.so.3.3.0 is missing or has another size than 7"},
		"a missing one": {map[string]string{"mujoco-3.3.0/FILES": "7 lib/libmujoco.so.3.3.0\n"},
			"libmujoco.so.3.3.0 is missing"},
		"an empty list":  {map[string]string{"mujoco-3.3.0/FILES": ""}, "not whole"},
		"a list's start": {map[string]string{"mujoco-3.3.0/FILES": "7 lib/libmu"}, "lib/libmu is missing"},
		"a file instead": {map[string]string{"mujoco-3.3.0": ""}, "it has no list of its files"},
	} {
		wheels, dir := t.TempDir(), t.TempDir()
		writeWheel(t, wheels, mujocoWheel)
		writeWheel(t, wheels, metaworldWheel)
		files(t, dir, c.have)
		said, err := get(t, dir, Options{Wheels: []string{wheels}})
		if err != nil || !strings.Contains(said, c.want) || !strings.Contains(said, "fetched anew") {
			t.Errorf("%s: said %q, %v", name, said, err)
		}
		if err := linux(t)[0].Complete(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		empty(t, dir, "mujoco-3.3.0", "metaworld-3.1.1")
	}
}

// tmpfs is a small file system of its own, writable or not.
func tmpfs(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a small file system cannot be mounted (%v): run as root outside of a container", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A cache that is full or read-only is one sentence with its place and what to do, and nothing half done stays.
func TestFullCache(t *testing.T) {
	dir, wheels := tmpfs(t, "size=8k"), t.TempDir()
	writeWheel(t, wheels, mujocoWheel)
	files(t, dir, map[string]string{"ballast": strings.Repeat("x", 4096)})
	_, err := get(t, dir, Options{Wheels: []string{wheels}})
	if err == nil || !strings.Contains(err.Error(), dir+" has no room left") ||
		!strings.Contains(err.Error(), home.Variable) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a full one: %v", err)
	}
	empty(t, dir, "ballast")
	_,
		err = get(t, dir, Options{pip: []string{"sh", "-c",
		"echo 'OSError: [Errno 28] No space left on device' >&2; exit 1"}})
	if err == nil || !strings.Contains(err.Error(), "has no room left") || strings.Contains(err.Error(), "network") {
		t.Errorf("pip finds it full: %v", err)
	}
}

func TestReadOnlyCache(t *testing.T) {
	dir, wheels := tmpfs(t, "size=1m"), t.TempDir()
	writeWheel(t, wheels, mujocoWheel)
	writeWheel(t, wheels, metaworldWheel)
	if _, err := get(t, filepath.Join(dir, "whole"), Options{Wheels: []string{wheels}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("it cannot be made read-only: %v", err)
	}
	if _, err := get(t, filepath.Join(dir, "whole"), Options{}); err != nil {
		t.Errorf("what is whole needs no writing: %v", err)
	}
	for _, at := range []string{dir, filepath.Join(dir, "new")} {
		_, err := get(t, at, Options{Wheels: []string{wheels}})
		if err == nil || !strings.Contains(err.Error(), at+" cannot be written (read-only file system)") ||
			!strings.Contains(err.Error(), home.Variable) {
			t.Errorf("%s: %v", at, err)
		}
	}
}
