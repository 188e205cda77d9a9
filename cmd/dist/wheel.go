package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"nacre/internal/home"
	finding "nacre/internal/python"
	"nacre/kernel/jupyter/zmq"
	"nacre/server"
)

// platforms are the systems for which there are wheels, each with its tags and the name that Zig's C compiler gives it.
// Its programs need the C library of 2014, glibc 2.17, as MuJoCo's own wheel does.
var platforms = map[string]struct{ tags, zig string }{
	"linux/amd64": {"manylinux_2_17_x86_64.manylinux2014_x86_64", "x86_64-linux-gnu.2.17"},
	"linux/arm64": {"manylinux_2_17_aarch64.manylinux2014_aarch64", "aarch64-linux-gnu.2.17"},
}

// These are the name of the distribution as people write it, its name in those of files and folders, and its least
// Python.
const (
	distribution = "nacre-rl"
	folder       = "nacre_rl"
	leastPython  = "3.9"
)

// wheels builds the program for each wanted system and writes its wheel.
func wheels(out, version string, wanted []string) error {
	wanted, err := chosen(wanted, slices.Sorted(maps.Keys(platforms)))
	if err != nil {
		return err
	}
	version, when, err := versioned(version)
	if err != nil {
		return err
	}
	number, err := numbered(version, when)
	if err != nil {
		return err
	}
	if _, err := os.Stat("web/dist/index.html"); err != nil {
		return errors.New("there is no web/dist/index.html: run make web first")
	}
	zig, err := compiler()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, target := range wanted {
		if err := built(out, number, target, zig, when); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	return nil
}

// built builds the program for a system and writes its wheel.
func built(out, number, target, zig string, when time.Time) error {
	work, err := os.MkdirTemp("", "nacre-wheel")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	set, err := withMuJoCo(zig + " cc -target " + platforms[target].zig)
	if err != nil {
		return err
	}
	binary, bill := filepath.Join(work, "nacre"), filepath.Join(work, "bom.json")
	if err := compile(binary, target, set); err != nil {
		return err
	}
	if err := writeBill(bill, binary, distribution+"-"+number, when); err != nil {
		return err
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	parts, err := os.ReadFile(bill)
	if err != nil {
		return err
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	files, err := contents(number, platforms[target].tags, program, licence, parts)
	if err != nil {
		return err
	}
	file := filepath.Join(out, fmt.Sprintf("%s-%s-py3-none-%s.whl", folder, number, platforms[target].tags))
	if err := create(file, func(w io.Writer) error { return writeWheel(w, files, number, when) }); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB\n", file, float64(info.Size())/1e6)
	return nil
}

// compilers is the version of the distribution ziglang, which has Zig's C compiler with every glibc's headers.
const compilers = "0.17.1"

// compiler returns the command of Zig's compiler, quoted as variable CC wants it. It is fetched from PyPI, once, into a
// virtual environment in the folder of fetched files.
func compiler() (string, error) {
	dir, err := home.Dir()
	if err != nil {
		return "", err
	}
	env := filepath.Join(dir, "ziglang-"+compilers)
	interpreter := filepath.Join(env, "bin", "python")
	if exec.Command(interpreter, "-m", "ziglang", "version").Run() == nil {
		return "'" + interpreter + "' -m ziglang", nil
	}
	p, err := finding.Find()
	if err != nil {
		return "", fmt.Errorf("Zig's C compiler comes from PyPI: %w", err)
	}
	for _, argv := range [][]string{{p.Path, "-m", "venv", "--clear", env},
		{interpreter, "-m", "pip", "install", "--quiet", "ziglang==" + compilers}} {
		if text, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("Zig's C compiler comes from PyPI, but %s: %w: %s", strings.Join(argv, " "), err,
				bytes.TrimSpace(text))
		}
	}
	return "'" + interpreter + "' -m ziglang", nil
}

// names are what git describe says of a tag, of a commit after one, and of a commit where there is none. Each has the
// version before the plus sign and what stands behind it.
var names = []struct {
	name       *regexp.Regexp
	number, of string
}{
	{regexp.MustCompile(`^v(\d+(?:\.\d+)*)(?:-(dirty))?$`), "$1", "$2"},
	{regexp.MustCompile(`^v(\d+(?:\.\d+)*)-(\d+)-(g[0-9a-f]+)(?:-(dirty))?$`), "$1.post$2", "$3.$4"},
	{regexp.MustCompile(`^([0-9a-f]{7,40})(?:-(dirty))?$`), "0.0.TIME", "g$1.$2"},
	{regexp.MustCompile(`^(devel)$`), "0.0.TIME", "$1"},
}

// numbered is a release's name as a version of Python's packages (PEP 440): v0.3.0 is 0.3.0. What is no release has its
// commit behind a plus sign; no public index takes such a version. Where there is no tag, the time is the number, so
// that pip takes the newest wheel of a folder.
func numbered(version string, when time.Time) (string, error) {
	for _, n := range names {
		if !n.name.MatchString(version) {
			continue
		}
		number := strings.Replace(n.name.ReplaceAllString(version, n.number), "TIME", when.Format("20060102150405"), 1)
		if of := strings.Trim(n.name.ReplaceAllString(version, n.of), "."); of != "" {
			number += "+" + of
		}
		return number, nil
	}
	return "", fmt.Errorf("version %q: expected one such as v0.3.0", version)
}

// member is a file of a wheel.
type member struct {
	data []byte
	mode fs.FileMode
}

// contents returns the files of a wheel by their names, all but the list of them.
func contents(number, tags string, program, licence, bill []byte) (map[string]member, error) {
	files := map[string]member{folder + "/bin/nacre": {program, 0o755}}
	modules, err := filepath.Glob(filepath.Join("python", folder, "*.py"))
	if err != nil || len(modules) == 0 {
		return nil, fmt.Errorf("there are no files python/%s/*.py (%v): run make wheel in the checkout", folder, err)
	}
	for _, m := range modules {
		text, err := os.ReadFile(m)
		if err != nil {
			return nil, err
		}
		files[folder+"/"+filepath.Base(m)] = member{text, 0o644}
	}
	spec, err := kernelspec()
	if err != nil {
		return nil, err
	}
	data, info := fmt.Sprintf("%s-%s.data/data", folder, number), fmt.Sprintf("%s-%s.dist-info", folder, number)
	files[path.Join(data, "share/jupyter/kernels", server.SpecName, "kernel.json")] = member{spec, 0o644}
	files[info+"/licenses/LICENSE"] = member{licence, 0o644}
	files[info+"/sboms/bom.json"] = member{bill, 0o644}
	entries := "[console_scripts]\nnacre = " + folder + ".program:main\n\n" +
		"[jupyter_serverproxy_servers]\nnacre = " + folder + ".jupyter:proxy\n"
	files[info+"/entry_points.txt"] = member{[]byte(entries), 0o644}
	wheel := "Wheel-Version: 1.0\nGenerator: nacre\nRoot-Is-Purelib: false\n"
	for system := range strings.SplitSeq(tags, ".") {
		wheel += "Tag: py3-none-" + system + "\n"
	}
	files[info+"/WHEEL"] = member{[]byte(wheel), 0o644}
	files[info+"/METADATA"] = member{metadata(number), 0o644}
	return files, nil
}

// kernelspec is the text of the file by which Jupyter finds the kernel. Jupyter starts the Python that it runs in for
// "python", so a moved environment keeps its kernel.
func kernelspec() ([]byte, error) {
	dir, err := os.MkdirTemp("", "nacre-kernelspec")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, err := zmq.Install(dir, server.SpecName, zmq.Spec{DisplayName: server.DisplayName, Language: "go",
		Argv: []string{"python", "-m", folder, "kernel", "--connection-file", "{connection_file}"}})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// metadata describes the distribution to pip and uv.
func metadata(number string) []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: %s
Version: %s
Summary: Meta-reinforcement learning with PEARL and its contrastive relatives: the program nacre, and its runs in Python
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=%s
Requires-Dist: numpy>=1.21
Requires-Dist: tomli>=1.1; python_version < "3.11"
Provides-Extra: mujoco
Requires-Dist: mujoco==%s; extra == "mujoco"
Requires-Dist: metaworld==%s; extra == "mujoco"
Description-Content-Type: text/markdown

The command `+"`nacre`"+` trains and evaluates PEARL, TCL-PEARL and their relatives on MuJoCo, Meta-World and
environments in Python, and serves notebooks of Go cells, in a browser or in Jupyter, which finds the kernel without a
further command. The package `+"`nacre_rl`"+` reads runs and trained agents; it needs NumPy only. The extra
`+"`mujoco`"+` brings the MuJoCo and the Meta-World that the program uses.
`, distribution, number, leastPython, home.MuJoCoVersion, home.MetaWorldVersion)
}

// writeWheel packs a wheel: the files in the order of their names, with one time, and at the end the list of them with
// their sums.
func writeWheel(w io.Writer, files map[string]member, number string, when time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	add := func(name string, m member) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: when}
		h.SetMode(m.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = f.Write(m.data)
		return err
	}
	if first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC); when.Before(first) {
		when = first // the oldest that a zip archive can hold
	}
	record := fmt.Sprintf("%s-%s.dist-info/RECORD", folder, number)
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name].data
		sum := sha256.Sum256(data)
		fmt.Fprintf(&list, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		if err := add(name, files[name]); err != nil {
			return err
		}
	}
	fmt.Fprintf(&list, "%s,,\n", record)
	if err := add(record, member{[]byte(list.String()), 0o644}); err != nil {
		return err
	}
	return z.Close()
}
