package fetch

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nacre/internal/python"
)

// The wheels of these tests are for a Python of which no sum is known.
const (
	mujocoWheel    = "mujoco-3.3.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
	metaworldWheel = "metaworld-3.1.1-py2-none-any.whl"
)

var contents = map[string]map[string]string{
	mujocoWheel: {
		"mujoco/libmujoco.so.3.3.0": "library", "mujoco/include/mujoco/mujoco.h": "#define mjVERSION_HEADER 330\n",
		"mujoco/__init__.py": "python", "mujoco-3.3.0.dist-info/LICENSE": "terms",
	},
	metaworldWheel: {"metaworld/assets/sawyer_xyz/sawyer_push_v3.xml": "<mujoco/>", "metaworld/envs.py": "python"},
}

func writeWheel(t *testing.T, dir, name string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for member, text := range contents[name] {
		w, err := z.Create(member)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestMain keeps the Python of the machine out: what it has installed would be used where it is.
func TestMain(m *testing.M) {
	os.Setenv(python.Variable, "false")
	os.Exit(m.Run())
}

func linux(t *testing.T) []Part {
	t.Helper()
	parts, err := Parts("linux", "amd64")
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// fakePip is a pip that copies wheels from a folder into the one after --dest, after so many seconds.
func fakePip(t *testing.T, from string, seconds int) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for pip is a shell script")
	}
	script := filepath.Join(t.TempDir(), "pip")
	text := fmt.Sprintf("for _ in $(seq %d); do sleep 1; done\n", seconds) +
		fmt.Sprintf(`while [ "$1" != --dest ]; do shift; done; cp '%s'/*.whl "$2"/`, from)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"sh", script}
}

func TestWheelsThatLieReady(t *testing.T) {
	wheels, dir := t.TempDir(), filepath.Join(t.TempDir(), "cache", "nacre")
	writeWheel(t, wheels, mujocoWheel)
	writeWheel(t, wheels, metaworldWheel)
	o := Options{Dir: dir, Wheels: []string{wheels}, pip: []string{"false"}}
	if err := Get(t.Context(), linux(t), o); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"mujoco-3.3.0/lib/libmujoco.so.3.3.0": "library", "mujoco-3.3.0/LICENSE": "terms",
		"metaworld-3.1.1/assets/sawyer_xyz/sawyer_push_v3.xml": "<mujoco/>",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "mujoco-3.3.0", "__init__.py")); err == nil {
		t.Error("Python was unpacked")
	}
	include, err := Include(dir)
	if err != nil || include != filepath.Join(dir, "mujoco-3.3.0", "include") {
		t.Errorf("headers in %s, %v", include, err)
	}

	// A file that has lost its end is fetched again, and nothing else is.
	library := filepath.Join(dir, "mujoco-3.3.0", "lib", "libmujoco.so.3.3.0")
	if err := os.WriteFile(library, []byte("lib"), 0o644); err != nil {
		t.Fatal(err)
	}
	var said []string
	o.Say = func(line string) { said = append(said, line) }
	if err := Get(t.Context(), linux(t), o); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(library); string(text) != "library" ||
		!strings.Contains(strings.Join(said, "\n"), "unpacking "+mujocoWheel) ||
		strings.Contains(strings.Join(said, "\n"), "unpacking "+metaworldWheel) {
		t.Errorf("after half a library: %q; said %q", text, said)
	}
}

func TestDownload(t *testing.T) {
	wheels, dir := t.TempDir(), t.TempDir()
	writeWheel(t, wheels, mujocoWheel)
	o := Options{Dir: dir, pip: fakePip(t, wheels, 0)}
	if err := Get(t.Context(), linux(t)[:1], o); err != nil {
		t.Fatal(err)
	}
	if err := linux(t)[0].Complete(dir); err != nil {
		t.Error(err)
	}
	// The pip that failed is quoted, and the folder for a wheel is named.
	o.pip = []string{"sh", "-c", "echo no route to host >&2; exit 1"}
	err := Get(t.Context(), linux(t)[1:], o)
	if err == nil || !strings.Contains(err.Error(), "no route to host") ||
		!strings.Contains(err.Error(), "metaworld==3.1.1") || !strings.Contains(err.Error(), dir) {
		t.Errorf("a pip that fails: %v", err)
	}
	empty(t, dir, "mujoco-3.3.0")
}

// empty requires that nothing but the parts named and the lock lies in dir.
func empty(t *testing.T, dir string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".lock" && !strings.Contains(strings.Join(but, " "), e.Name()) {
			t.Errorf("%s was left", e.Name())
		}
	}
}

// What pip 23 says without a network ends with a line that does not name it.
func TestReason(t *testing.T) {
	said := "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<pip>: Failed to " +
		"establish a new connection: " +
		"[Errno -2] Name or service not known')': /simple/mujoco/\nERROR: No matching distribution found for " +
		"mujoco==3.3.0\n"
	if got := reason(said, nil); !strings.Contains(got, "Name or service not known") || strings.Contains(got, "Retry") {
		t.Errorf("no network: %q", got)
	}
	if got := reason("\nERROR: No matching distribution found\n", nil); got != "ERROR: No matching distribution found" {
		t.Errorf("no wheel: %q", got)
	}
	if got := reason("", errors.New("exit status 1")); got != "exit status 1" {
		t.Errorf("silence: %q", got)
	}
}

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".new-killed"), 0o755); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	o := Options{Dir: dir, pip: fakePip(t, t.TempDir(), 3600), Say: func(line string) {
		if strings.HasPrefix(line, "fetching") {
			time.AfterFunc(20*time.Millisecond, func() { cancel(stopped) })
		}
	}}
	if err := Get(ctx, linux(t), o); !errors.Is(err, stopped) {
		t.Errorf("error %v", err)
	}
	empty(t, dir)
}

func TestTwoAtOnce(t *testing.T) {
	wheels, dir := t.TempDir(), t.TempDir()
	writeWheel(t, wheels, mujocoWheel)
	pip := fakePip(t, wheels, 1)
	var mu sync.Mutex
	fetched := 0
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			err := Get(t.Context(), linux(t)[:1], Options{Dir: dir, pip: pip, Say: func(line string) {
				mu.Lock()
				defer mu.Unlock()
				if strings.HasPrefix(line, "unpacking") {
					fetched++
				}
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if fetched != 1 {
		t.Errorf("fetched %d times", fetched)
	}
}

func TestDamaged(t *testing.T) {
	for name, text := range map[string]string{
		mujocoWheel: "no zip file",
		"mujoco-3.3.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": "not the published one",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Get(t.Context(), linux(t), Options{Dir: dir, pip: []string{"false"}})
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
		empty(t, dir, name)
	}
	// A wheel without what is needed of it.
	dir := t.TempDir()
	writeWheel(t, dir, metaworldWheel)
	if err := os.Rename(filepath.Join(dir, metaworldWheel), filepath.Join(dir, mujocoWheel)); err != nil {
		t.Fatal(err)
	}
	if err := Get(t.Context(), linux(t), Options{Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "libmujoco.so.3.3.0") {
		t.Errorf("another wheel under the name: %v", err)
	}
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := Get(t.Context(), linux(t), Options{Dir: filepath.Join(file, "nacre")})
	if err == nil || !strings.Contains(err.Error(), "cannot be written") ||
		!strings.Contains(err.Error(), "NACRE_HOME") {
		t.Errorf("error %v", err)
	}
}

func TestSystemHeaders(t *testing.T) {
	usr := t.TempDir()
	header := filepath.Join(usr, "include", "mujoco", "mujoco.h")
	if err := os.MkdirAll(filepath.Dir(header), 0o755); err != nil {
		t.Fatal(err)
	}
	for version, ok := range map[string]bool{"330": true, "327": false} {
		if err := os.WriteFile(header, []byte("// \n#define mjVERSION_HEADER "+version+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if include, err := Include(t.TempDir(), usr); (err == nil) != ok ||
			ok && include != filepath.Join(usr, "include") {
			t.Errorf("headers %s: %q, %v", version, include, err)
		}
	}
	if _, err := Parts("windows", "amd64"); err == nil || !strings.Contains(err.Error(), "windows/amd64") {
		t.Errorf("Windows: %v", err)
	}
}
