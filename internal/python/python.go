// Package python finds the user's Python: the one named by NACRE_PYTHON, the one of the active virtual environment
// (VIRTUAL_ENV), the one of the active conda environment (CONDA_PREFIX), or python3 of PATH. All code that runs Python,
// installs with pip or looks into site-packages uses this package.
//
//	p, err := python.Find()
//	out, err := exec.Command(p.Path, "-c", "print(1)").Output()
//	folder, version := p.Package("mujoco") // "" if it is not installed
package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Variable is the environment variable that names an interpreter.
const Variable = "NACRE_PYTHON"

// Python is an interpreter.
type Python struct {
	Path string // path of the interpreter
	From string // the variable that chose it: "NACRE_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX" or "PATH"
	Note string // a sentence about a chosen Python that cannot be used; mostly empty
}

func (p Python) String() string { return p.Path + " (" + p.From + ")" }

// Find returns the Python to use. An active environment that no longer has a Python is skipped, and Note says so.
func Find() (Python, error) {
	var note string
	for _, variable := range []string{Variable, "VIRTUAL_ENV", "CONDA_PREFIX"} {
		value := os.Getenv(variable)
		if value == "" {
			continue
		}
		looked := programs(value)
		if variable == Variable {
			looked = []string{value}
		}
		for _, file := range looked {
			if path, err := exec.LookPath(file); err == nil {
				return Python{Path: path, From: variable, Note: note}, nil
			}
		}
		if variable == Variable {
			return Python{}, fmt.Errorf("%s is %s, which is no program: set it to an interpreter such as "+
				"/usr/bin/python3, or unset it", variable, value)
		}
		if note == "" {
			note = fmt.Sprintf("%s is %s, where there is no %s: another Python is used", variable, value,
				filepath.Base(looked[0]))
		}
	}
	for _, name := range []string{"python3", "python"} {
		if path, err := exec.LookPath(name); err == nil {
			return Python{Path: path, From: "PATH", Note: note}, nil
		}
	}
	return Python{}, errors.New("there is no Python: activate an environment, put python3 on PATH, or set " + Variable +
		" to an interpreter")
}

// programs lists the paths at which an environment may have its interpreter.
func programs(prefix string) []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(prefix, "Scripts", "python.exe"), filepath.Join(prefix, "python.exe")}
	}
	return []string{filepath.Join(prefix, "bin", "python3"), filepath.Join(prefix, "bin", "python")}
}

// Prefixes lists the folders of all active Pythons, the chosen one first. Each contains bin and lib.
func Prefixes() []string {
	var out []string
	if p, err := Find(); err == nil {
		out = append(out, filepath.Dir(filepath.Dir(p.Path)))
	}
	for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(v); p != "" {
			out = append(out, p)
		}
	}
	if p, err := exec.LookPath("python3"); err == nil {
		out = append(out, filepath.Dir(filepath.Dir(p)))
		if q, err := filepath.EvalSymlinks(p); err == nil {
			out = append(out, filepath.Dir(filepath.Dir(q)))
		}
	}
	var once []string
	for _, p := range out {
		if !slices.Contains(once, p) {
			once = append(once, p)
		}
	}
	return once
}

// Package returns the folder and the version of a package that the Python has installed. Both are empty if it has none.
// A folder without the record of installed files does not count; an installation that broke off leaves such a folder.
func (p Python) Package(name string) (folder, version string) {
	for _, site := range p.Sites() {
		folder := filepath.Join(site, name)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		if note, version := p.note(site, name); note != "" {
			return folder, version
		}
	}
	return "", ""
}

// Files lists the files of an installed package, with their sizes at installation. Paths are relative to the parent of
// the package's folder.
func (p Python) Files(name string) (map[string]string, error) {
	for _, site := range p.Sites() {
		note, _ := p.note(site, name)
		if note == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(note, "RECORD"))
		if err != nil {
			return nil, err
		}
		files := map[string]string{}
		for line := range strings.Lines(string(text)) {
			part := strings.Split(strings.TrimSpace(line), ",")
			if len(part) >= 3 { // a name with a comma is quoted, but our packages have no such names
				files[part[0]] = part[len(part)-1]
			}
		}
		return files, nil
	}
	return nil, fmt.Errorf("%s has no %s", p, name)
}

// note returns the folder with the record of an installed package, and the package's version.
func (p Python) note(site, name string) (folder, version string) {
	entries, err := os.ReadDir(site)
	if err != nil {
		return "", ""
	}
	for _, e := range entries {
		base, is := strings.CutSuffix(e.Name(), ".dist-info")
		package_, version, _ := strings.Cut(base, "-")
		if is && strings.EqualFold(package_, name) {
			return filepath.Join(site, e.Name()), version
		}
	}
	return "", ""
}

// Sites lists the folders in which the Python looks for packages.
func (p Python) Sites() []string {
	if sites := p.known(); sites != nil {
		return sites
	}
	// without a Python it opens a window that offers to install one
	if runtime.GOOS == "darwin" && p.Path == "/usr/bin/python3" {
		return nil
	}
	asked.Lock()
	defer asked.Unlock()
	sites, is := asked.of[p.Path]
	if !is {
		sites = p.ask()
		asked.of[p.Path] = sites
	}
	return sites
}

var asked = struct {
	sync.Mutex
	of map[string][]string
}{of: map[string][]string{}}

// ask asks the Python for these folders.
func (p Python) ask() []string {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, p.Path, "-c", "import sys\nfor p in sys.path: print(p)")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(out)), "\n"), func(dir string) bool {
		base := filepath.Base(strings.TrimSpace(dir))
		return base != "site-packages" && base != "dist-packages"
	})
}

var versionLine = regexp.MustCompile(`(?m)^version(?:_info)?\s*=\s*(\d+\.\d+)`)

// known returns the folders if the Python need not be asked for them: for an ordinary environment, or an interpreter
// whose file is named after its version. It is nil if the Python must be asked, as for the stand-ins that pyenv puts on
// PATH.
func (p Python) known() []string {
	prefix := filepath.Dir(filepath.Dir(p.Path))
	text, err := os.ReadFile(filepath.Join(prefix, "pyvenv.cfg"))
	if err != nil {
		return p.plain()
	}
	if strings.Contains(strings.ReplaceAll(strings.ToLower(string(text)), " ", ""),
		"include-system-site-packages=true") {
		return nil
	}
	v := versionLine.FindStringSubmatch(string(text))
	if v == nil {
		return nil
	}
	site := filepath.Join(prefix, "lib", "python"+v[1], "site-packages")
	if info, err := os.Stat(site); err != nil || !info.IsDir() {
		return nil
	}
	return []string{site}
}

var versionName = regexp.MustCompile(`^python(\d+\.\d+)$`)

// plain returns the folders of an interpreter outside of an environment, in the layouts of Python, Debian and pip
// --user.
func (p Python) plain() []string {
	real, err := filepath.EvalSymlinks(p.Path)
	if err != nil {
		return nil
	}
	name := versionName.FindStringSubmatch(filepath.Base(real))
	if name == nil {
		return nil
	}
	prefix, python := filepath.Dir(filepath.Dir(real)), "python"+name[1]
	if info, err := os.Stat(filepath.Join(prefix, "lib", python)); err != nil || !info.IsDir() {
		return nil
	}
	var sites []string
	if home, err := os.UserHomeDir(); err == nil {
		sites = append(sites, filepath.Join(home, ".local", "lib", python, "site-packages"))
	}
	sites = append(sites, filepath.Join(prefix, "lib", python, "site-packages"),
		filepath.Join(prefix, "local", "lib", python, "dist-packages"),
		filepath.Join(prefix, "lib", "python3", "dist-packages"))
	return slices.DeleteFunc(sites, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}
