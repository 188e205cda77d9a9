package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/internal/fatal"
	finding "nacre/internal/python"
)

func TestNumbered(t *testing.T) {
	for name, want := range map[string]string{"v0.3.0": "0.3.0", "v1": "1", "v0.3.0-dirty": "0.3.0+dirty",
		"v0.3.0-12-g8afa5644": "0.3.0.post12+g8afa5644", "v0.3.0-2-g8afa5644-dirty": "0.3.0.post2+g8afa5644.dirty",
		"8afa5644": "0.0.20231114221320+g8afa5644", "12345678-dirty": "0.0.20231114221320+g12345678.dirty",
		"devel": "0.0.20231114221320+devel", "nightly": "", "0.3": ""} {
		if got, err := numbered(name, time.Unix(1_700_000_000, 0).UTC()); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
}

// A wheel is the same bytes each time, lists its files with their sums, and has what pip, uv and Jupyter look for.
func TestWheelIsReproducible(t *testing.T) {
	t.Chdir("../..")
	files, err := contents("0.3", platforms["linux/amd64"].tags, []byte("program"), []byte("licence"), []byte("{}"))
	fatal.On(t, err)
	var made [2]bytes.Buffer
	for i := range made {
		fatal.On(t, writeWheel(&made[i], files, "0.3", time.Unix(1_700_000_000, 0).UTC()))
	}
	if !bytes.Equal(made[0].Bytes(), made[1].Bytes()) {
		t.Error("a wheel differs from one time to the next")
	}
	z, err := zip.NewReader(bytes.NewReader(made[0].Bytes()), int64(made[0].Len()))
	fatal.On(t, err)
	text := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		fatal.On(t, err)
		data, err := io.ReadAll(r)
		fatal.On(t, err)
		text[f.Name] = string(data)
		if want := os.FileMode(0o644); f.Mode().Perm() != want && f.Name != "nacre_rl/bin/nacre" ||
			!f.Modified.Equal(time.Unix(1_700_000_000, 0)) {
			t.Errorf("%s has mode %v and time %v", f.Name, f.Mode(), f.Modified)
		}
	}
	if z.File[len(z.File)-1].Name != "nacre_rl-0.3.dist-info/RECORD" {
		t.Error("the list of files is not the last file")
	}
	lines := strings.Split(strings.TrimSpace(text["nacre_rl-0.3.dist-info/RECORD"]), "\n")
	if len(lines) != len(z.File) {
		t.Errorf("%d files are listed, the wheel has %d", len(lines), len(z.File))
	}
	for _, line := range lines {
		part := strings.Split(line, ",")
		sum := sha256.Sum256([]byte(text[part[0]]))
		want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:])
		if _, is := text[part[0]]; !is || part[1] != want && !strings.HasSuffix(part[0], "/RECORD") {
			t.Errorf("listed is %s; want the sum %s", line, want)
		}
	}
	for name, want := range map[string]string{
		"nacre_rl-0.3.dist-info/WHEEL": "Root-Is-Purelib: false\nTag: py3-none-manylinux_2_17_x86_64\n" +
			"Tag: py3-none-manylinux2014_x86_64\n",
		"nacre_rl-0.3.dist-info/METADATA": "Requires-Python: >=3.9\n",
		"nacre_rl-0.3.data/data/share/jupyter/kernels/nacre/kernel.json": "\"python\",\n  \"-m\",\n  \"nacre_rl\",\n" +
			"  \"kernel\",",
		"nacre_rl-0.3.dist-info/entry_points.txt": "nacre = nacre_rl.program:main\n\n" +
			"[jupyter_serverproxy_servers]\nnacre = nacre_rl.jupyter:proxy\n",
		"nacre_rl/agent.py":    "class Agent:",
		"nacre_rl/program.py":  "def main():",
		"nacre_rl/__main__.py": "main()",
	} {
		if !strings.Contains(text[name], want) {
			t.Errorf("%s is %q; want %q in it", name, text[name], want)
		}
	}
}

const (
	largest = 50e6 // bytes of a wheel
	oldest  = 17   // of glibc 2
)

const plan = `name = "small"
families = ["point-goal"]
seeds = [1]
preset = "quick/point-goal"
set = ["pearl.iterations=1", "pearl.updates_per_iteration=2"]
[[systems]]
algorithm = "pearl"
`

// The wheel for this machine installs by pip and by uv in environments that have nothing else. What it brings runs on
// glibc 2.17, trains, runs a notebook, and is found by Jupyter, after the environment was moved too.
func TestWheel(t *testing.T) {
	if os.Getenv("NACRE_WHEEL") == "" {
		t.Skip("another C compiler builds the whole program, for minutes: make wheel-test does it")
	}
	target := runtime.GOOS + "/" + runtime.GOARCH
	if _, is := platforms[target]; !is {
		t.Skipf("there is no wheel for %s: a machine with Linux builds and tests one", target)
	}
	p, err := finding.Find()
	if err != nil {
		t.Skip(err)
	}
	out := t.TempDir()
	t.Chdir("../..")
	if _, err := os.Stat("web/dist/index.html"); err != nil {
		t.Skip("the page is not built: make web brings it")
	}
	if _, err := compiler(); err != nil {
		t.Skip(err)
	}
	if _, err := withMuJoCo("cc"); err != nil {
		t.Skipf("%v: make setup brings them", err)
	}
	fatal.On(t, wheels(out, "", []string{target}))
	made, err := filepath.Glob(filepath.Join(out, "*.whl"))
	if err != nil || len(made) != 1 {
		t.Fatalf("wheels %v, %v", made, err)
	}
	info, err := os.Stat(made[0])
	fatal.On(t, err)
	newest := needs(t, made[0])
	t.Logf("%s has %.1f MB and needs glibc 2.%d", filepath.Base(made[0]), float64(info.Size())/1e6, newest)
	if info.Size() > largest || newest > oldest {
		t.Errorf("the wheel has %d bytes and needs glibc 2.%d; want at most %g and 2.%d", info.Size(), newest, largest,
			oldest)
	}

	work := t.TempDir()
	for _, v := range []string{"NACRE_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "JUPYTER_PATH"} {
		t.Setenv(v, "")
	}
	t.Setenv("NACRE_HOME", filepath.Join(work, "home"))
	venv := filepath.Join(work, "a venv")
	in := func(name string) string { return filepath.Join(venv, "bin", name) }
	do := func(argv ...string) string {
		t.Helper()
		text, err := started(t, work, argv...)
		if err != nil {
			t.Fatalf("%s: %v: %s", strings.Join(argv, " "), err, text)
		}
		return text
	}
	do(p.Path, "-m", "venv", venv)
	if text, err := started(t, work, in("python"), "-m", "pip", "install", "--quiet", "numpy", "uv", "jupyter_client",
		"nbclient"); err != nil {
		t.Skipf("the wheel was built and not installed: %v: %s; a package index that pip reaches brings what it needs",
			err, text)
	}
	// the commands of the page, with a short training; its code in Python is tested beside the package
	fatal.On(t, os.Mkdir(filepath.Join(work, "out"), 0o755), os.Symlink(out, filepath.Join(work, "out", "wheel")),
		os.WriteFile(filepath.Join(work, "plan.toml"), []byte(plan), 0o600))
	page, err := os.ReadFile("docs/from-python.md")
	fatal.On(t, err)
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 || !strings.Contains(blocks[0][1], "quick/point-goal") {
		t.Fatalf("the page has the blocks %q; want one that trains and one for a cluster", blocks)
	}
	do("env", "PATH="+filepath.Join(venv, "bin")+":"+os.Getenv("PATH"), "sh", "-e", "-c",
		strings.Replace(blocks[0][1], "quick/point-goal", "quick/point-goal --quiet --set pearl.iterations=2", 1))
	if text := do(in("nacre"), "doctor"); !strings.Contains(text, in("python")) ||
		!strings.Contains(text, "(NACRE_PYTHON)") {
		t.Errorf("doctor says %s; want the environment's Python", text)
	}
	if text := do(in("python"), "-c", "import nacre_rl; r = nacre_rl.Run('runs/first'); "+
		"print(len(r.metrics['q_loss']), *r.agent().posterior([])[1])"); text != "2 1.0 1.0 1.0 1.0 1.0\n" {
		t.Errorf("the run in Python: %s", text)
	}

	notebook, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{
		"kernelspec": map[string]any{"name": "nacre", "display_name": "Go (Nacre)", "language": "go"}},
		"cells": []any{map[string]any{"cell_type": "code", "id": "one", "metadata": map[string]any{},
			"outputs": []any{}, "execution_count": nil, "source": "import \"fmt\"\nfmt.Println(6 * 7)"}}})
	fatal.On(t, err, os.WriteFile(filepath.Join(work, "small.ipynb"), notebook, 0o600))
	do(in("nacre"), "run", "small.ipynb", "-o", "ran.ipynb")
	if text, err := os.ReadFile(filepath.Join(work, "ran.ipynb")); err != nil || !strings.Contains(string(text), "42") {
		t.Errorf("the cell prints %s, %v", text, err)
	}
	inJupyter := func(when string) {
		t.Helper()
		if text := do(in("python"), "-m", "jupyter_client.kernelspecapp", "list"); !strings.Contains(text,
			filepath.Join(venv, "share", "jupyter", "kernels", "nacre")) {
			t.Errorf("%s: Jupyter lists %s; want the environment's kernel", when, text)
		}
		text := do(in("python"), "-c", "import nbformat, nbclient; n = nbformat.read('small.ipynb', 4); "+
			"nbclient.NotebookClient(n, timeout=300).execute(); print(n.cells[0].outputs[0].text)")
		if !strings.Contains(text, "42") {
			t.Errorf("%s: the cell in Jupyter prints %q", when, text)
		}
	}
	inJupyter("installed")
	do("env", "PATH="+filepath.Join(venv, "bin")+":"+os.Getenv("PATH"), "sh", "-e", "-c", blocks[1][1])

	moved := filepath.Join(work, "moved")
	fatal.On(t, os.Rename(venv, moved))
	venv = moved
	inJupyter("moved")
	if text := do(in("python"), "-m", "nacre_rl", "version"); !strings.HasPrefix(text, "nacre ") {
		t.Errorf("moved it says %s", text)
	}

	uv := filepath.Join(work, "by-uv")
	do(in("python"), "-m", "uv", "venv", "--quiet", "--python", p.Path, uv)
	do(in("python"), "-m", "uv", "pip", "install", "--quiet", "--python", filepath.Join(uv, "bin", "python"),
		"--find-links", out, "nacre-rl")
	if text := do(filepath.Join(uv, "bin", "nacre"), "version"); !strings.HasPrefix(text, "nacre ") {
		t.Errorf("installed by uv it says %s", text)
	}
}

// started runs a command in a folder and returns what it printed.
func started(t *testing.T, dir string, argv ...string) (string, error) {
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

var glibc = regexp.MustCompile(`^GLIBC_2\.(\d+)`)

// needs is the newest version of glibc 2 among the symbols that a wheel's program imports.
func needs(t *testing.T, wheel string) (newest int) {
	t.Helper()
	z, err := zip.OpenReader(wheel)
	fatal.On(t, err)
	defer z.Close()
	f, err := z.Open("nacre_rl/bin/nacre")
	fatal.On(t, err)
	defer f.Close()
	program, err := io.ReadAll(f)
	fatal.On(t, err)
	e, err := elf.NewFile(bytes.NewReader(program))
	fatal.On(t, err)
	libraries, err := e.ImportedLibraries()
	fatal.On(t, err)
	for _, l := range libraries {
		if !slices.Contains([]string{"libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1",
			"libresolv.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, l) {
			t.Errorf("the program needs %s, which manylinux2014 does not promise", l)
		}
	}
	if e.Section(".symtab") != nil || e.Section(".debug_info") != nil {
		t.Error("the program was not stripped")
	}
	symbols, err := e.ImportedSymbols()
	fatal.On(t, err)
	for _, s := range symbols {
		var minor int
		if m := glibc.FindStringSubmatch(s.Version); m != nil {
			if _, err := fmt.Sscan(m[1], &minor); err != nil {
				t.Fatal(err)
			}
			newest = max(newest, minor)
		}
	}
	if newest == 0 {
		t.Error("the program imports nothing of glibc: it was built without cgo, and so without MuJoCo")
	}
	return newest
}
