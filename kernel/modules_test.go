//go:build !js

package kernel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// proxy makes a module proxy of one module in a folder.
func proxy(t *testing.T, m module.Version, files map[string]string) string {
	source, dir := t.TempDir(), t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(source, name), []byte(text))
	}
	at := filepath.Join(dir, m.Path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(at, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := zip.CreateFromDir(f, m, source); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, m.Version+".mod"), []byte(files["go.mod"]))
	write(t, filepath.Join(at, m.Version+".info"), []byte(`{"Version":"`+m.Version+`"}`))
	write(t, filepath.Join(at, "list"), []byte(m.Version+"\n"))
	return dir
}

// Cells import modules: one that %get pins in go.mod, then the same from the module cache alone, and packages of the
// module that the notebook itself lies in. What cannot be had is one sentence.
func TestModules(t *testing.T) {
	heavy.Skip(t, "it compiles cells")
	source, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	greet := module.Version{Path: "example.com/greet", Version: "v1.2.0"}
	from := proxy(t, greet, map[string]string{
		"go.mod": "module example.com/greet\n\ngo 1.26\n",
		"greet.go": "// Package greet greets.\npackage greet\n\nimport \"io\"\n\n// Greeting is a text.\n" +
			"type Greeting struct{ Text string }\n\nfunc (g *Greeting) String() string { return g.Text }\n\n" +
			"func To(w io.Writer, name string) *Greeting { io.WriteString(w, name); return &Greeting{\"hello \" + " +
			"name} }\n",
	})
	// what the program is made of
	real := "file://" + filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
	for name, value := range map[string]string{
		"GOMODCACHE": t.TempDir(), "GOPROXY": "file://" + from + "," + real, "GONOSUMDB": greet.Path,
		"GOFLAGS": "-modcacherw", "GOSUMDB": "off",
	} {
		t.Setenv(name, value)
	}
	folder := t.TempDir()
	t.Chdir(folder)
	s := startOn(t, kernel.Compiled(source, ""))
	const use = "import (\"example.com/greet\"; \"fmt\"; \"strings\")\nvar b strings.Builder\nvar text fmt.Stringer " +
		"= greet.To(&b, \"you\")\ntext.String() + b.String()"
	kerneltest.Cells(t, s, [][2]string{
		{"import \"example.com/greet\"", `CompileError: 1:8: package "example.com/greet" is in no module that go.mod beside the notebook or the module cache has; %get example.com/greet gets it`},
		{"%get -u", "CompileError: %get -u: expected a module, such as %get github.com/google/uuid@v1.6.0"},
		{"%get example.com/greet@v1.2.0\n" + use, `"hello youyou"`},
		{"again := greet.To(&b, \"me\")\nagain.Text", `"hello me"`},
	})
	if data, err := os.ReadFile("go.mod"); err != nil || !strings.Contains(string(data), "example.com/greet v1.2.0") {
		t.Errorf("go.mod: %s %v", data, err)
	}
	if r, _ := execute(s, "%get example.com/greet@v9.9.9"); r.Error == nil ||
		!strings.Contains(r.Error.Message, "v9.9.9") {
		t.Errorf("a version that is not there: %s", value(r))
	}
	write(t, "go.mod", []byte("module example.com/mine\n\ngo 1.26\n"))
	if err := os.Mkdir("part", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join("part", "part.go"), []byte("package part\n\nconst Answer = 42\n"))
	kerneltest.Cells(t, startOn(t, kernel.Compiled(source, "")), [][2]string{
		{use, `"hello youyou"`},
		{"import \"example.com/mine/part\"\npart.Answer", "42"},
	})
	kerneltest.Cells(t, start(t), [][2]string{
		{"import \"example.com/greet\"", `CompileError: 1:8: package "example.com/greet" is not one this notebook can import: the engine yaegi has its own packages only, the engine go imports those of other modules too`},
		{"%get example.com/greet@v1.2.0",
			"CompileError: %get: the engine yaegi has its own packages only; modules are for the engine go"},
	})
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
