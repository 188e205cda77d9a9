//go:build unix

package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program makes an executable file that prints what script says.
func program(t *testing.T, path, script string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// nothing clears what chooses a Python, but a folder of PATH.
func nothing(t *testing.T, path string) {
	for _, v := range []string{Variable, "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(v, "")
	}
	t.Setenv("PATH", path)
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	venv, conda, named := filepath.Join(dir, "a venv"), filepath.Join(dir, "conda"),
		filepath.Join(dir, "own", "python3.13")
	inVenv, inConda := program(t, filepath.Join(venv, "bin", "python3"), ""),
		program(t, filepath.Join(conda, "bin", "python"), "")
	onPath := program(t, filepath.Join(dir, "path", "python3"), "")
	program(t, named, "")
	for name, c := range map[string]struct {
		named, venv, conda string
		want, from, note   string
	}{
		"nothing active":      {want: onPath, from: "PATH"},
		"a venv":              {venv: venv, want: inVenv, from: "VIRTUAL_ENV"},
		"conda":               {conda: conda, want: inConda, from: "CONDA_PREFIX"},
		"a venv within conda": {venv: venv, conda: conda, want: inVenv, from: "VIRTUAL_ENV"},
		"one named":           {named: named, venv: venv, conda: conda, want: named, from: Variable},
		"a venv removed": {venv: filepath.Join(dir, "gone"), want: onPath, from: "PATH",
			note: "gone, where there is no python3"},
		"removed, conda": {venv: filepath.Join(dir, "gone"), conda: conda, want: inConda, from: "CONDA_PREFIX",
			note: "VIRTUAL_ENV"},
	} {
		nothing(t, filepath.Dir(onPath))
		t.Setenv(Variable, c.named)
		t.Setenv("VIRTUAL_ENV", c.venv)
		t.Setenv("CONDA_PREFIX", c.conda)
		p, err := Find()
		if err != nil || p.Path != c.want || p.From != c.from || !strings.Contains(p.Note, c.note) ||
			(p.Note == "") != (c.note == "") {
			t.Errorf("%s: %+v, %v; want %s", name, p, err, c.want)
		}
	}
	nothing(t, t.TempDir())
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "there is no Python") {
		t.Errorf("none: %v", err)
	}
	t.Setenv(Variable, filepath.Join(dir, "gone"))
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), Variable+" is ") {
		t.Errorf("a name of nothing: %v", err)
	}
}

// installed makes what an installer leaves of a package.
func installed(t *testing.T, site, name, version string) string {
	t.Helper()
	for file, text := range map[string]string{
		name + "/__init__.py": "",
		name + "-" + version + ".dist-info/RECORD": name + "/__init__.py,sha256=47DE,0\n" + name + "-" + version +
			".dist-info/RECORD,,\n",
		"other_" + name + "-9.9.9.dist-info/METADATA":   "",
		name + "_extra-8.8.8.dist-info/direct_url.json": "",
	} {
		path := filepath.Join(site, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(site, name)
}

func TestPackage(t *testing.T) {
	dir := t.TempDir()
	// Environments as venv and uv make them say their version and need not be asked.
	for name, line := range map[string]string{"venv": "version = 3.11.7", "uv": "version_info = 3.11.7",
		"virtualenv": "version_info = 3.11.7.final.0"} {
		venv := filepath.Join(dir, name)
		program(t, filepath.Join(venv, "bin", "python3"), "exit 1")
		os.WriteFile(filepath.Join(venv, "pyvenv.cfg"),
			[]byte("home = /usr/bin\ninclude-system-site-packages = false\n"+line+"\n"), 0o644)
		want := installed(t, filepath.Join(venv, "lib", "python3.11", "site-packages"), "mujoco", "3.3.0")
		// of a Python that was there before
		installed(t, filepath.Join(venv, "lib", "python3.9", "site-packages"), "mujoco", "3.2.0")
		nothing(t, "")
		t.Setenv("VIRTUAL_ENV", venv)
		p, err := Find()
		if err != nil {
			t.Fatal(err)
		}
		if folder, version := p.Package("mujoco"); folder != want || version != "3.3.0" {
			t.Errorf("%s: %q, %q", name, folder, version)
		}
		files, err := p.Files("mujoco")
		if err != nil || files["mujoco/__init__.py"] != "0" || len(files) != 2 {
			t.Errorf("%s: files %v, %v", name, files, err)
		}
		if folder, _ := p.Package("metaworld"); folder != "" {
			t.Errorf("%s: metaworld in %s", name, folder)
		}
	}
	// An interpreter named after its version need not be either, and has what was installed for its user.
	prefix := filepath.Join(dir, "prefix")
	program(t, filepath.Join(prefix, "bin", "python3.12"), "exit 1")
	os.Symlink("python3.12", filepath.Join(prefix, "bin", "python3"))
	t.Setenv("HOME", filepath.Join(dir, "home"))
	nothing(t, filepath.Join(prefix, "bin"))
	for _, site := range []string{"prefix/lib/python3.12/site-packages", "prefix/local/lib/python3.12/dist-packages",
		"home/.local/lib/python3.12/site-packages"} {
		want := installed(t, filepath.Join(dir, site), "metaworld", "3.1.1")
		if p, err := Find(); err != nil {
			t.Error(err)
		} else if folder, version := p.Package("metaworld"); folder != want || version != "3.1.1" {
			t.Errorf("%s: %q, %q", site, folder, version)
		}
		os.RemoveAll(want)
	}
	// Another Python is asked, as the stand-ins of pyenv must be; a folder without its note is an installation that
	// broke off.
	site, half := filepath.Join(dir, "lib", "site-packages"), filepath.Join(dir, "lib", "dist-packages")
	want := installed(t, site, "mujoco", "3.2.7")
	os.MkdirAll(filepath.Join(half, "mujoco"), 0o755)
	shim := program(t, filepath.Join(dir, "shims", "python3"), "printf '\\n/usr/lib/python311.zip\\n"+half+
		"\\n"+site+"\\n'")
	nothing(t, filepath.Dir(shim)+":/bin:/usr/bin")
	p, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if folder, version := p.Package("mujoco"); folder != want || version != "3.2.7" {
		t.Errorf("asked: %q, %q", folder, version)
	}
	broken := Python{Path: program(t, filepath.Join(dir, "broken"), "exit 1")}
	if sites := broken.Sites(); len(sites) != 0 {
		t.Errorf("a Python that does not run: %v", sites)
	}
}
