package experiment_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/rl/config"
	"nacre/sim"
)

type settings struct {
	Seed  uint64 `toml:"seed"`
	Pearl struct {
		Latent int     `toml:"latent" range:"[1,256]" comment:"size of z"`
		LR     float64 `toml:"lr"`
	} `toml:"pearl"`
}

func sample() settings {
	s := settings{Seed: 3}
	s.Pearl.Latent, s.Pearl.LR = 5, 0.30000000000000004
	return s
}

func create(t *testing.T, dir string) *experiment.Run {
	t.Helper()
	run, err := experiment.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run
}

func TestCreateRefuses(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "run")
	run := create(t, dir)
	if _, err := run.Begin(sample(), experiment.NewProcess()); err != nil {
		t.Fatal(err)
	}
	run.Close()
	_, err := experiment.Create(dir)
	if err == nil || !strings.Contains(err.Error(), "continue it with: nacre resume "+dir+", or") ||
		!strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("existing run: %v", err)
	}
	other := filepath.Join(parent, "other")
	os.Mkdir(other, 0o755)
	os.WriteFile(filepath.Join(other, "thesis.tex"), nil, 0o644)
	if _, err := experiment.Create(other); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("folder with other files: %v", err)
	}
	if _, err := experiment.Create(filepath.Join(other, "thesis.tex")); err == nil {
		t.Error("a file was accepted as a folder")
	}
	empty := filepath.Join(parent, "empty")
	os.Mkdir(empty, 0o755)
	create(t, empty).Close()
	// A process killed while it made the run leaves these; the folder is as good as empty.
	os.WriteFile(filepath.Join(empty, "config.toml.tmp"), []byte("se"), 0o644)
	create(t, empty)
}

func TestOpenAndViewRefuse(t *testing.T) {
	dir := t.TempDir()
	for _, open := range []func(string) (*experiment.Run, error){experiment.Open, experiment.View} {
		if _, err := open(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("missing folder: %v", err)
		}
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), "not a run folder") {
			t.Errorf("other folder: %v", err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("refusing wrote %v", entries)
	}
}

func TestOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	run := create(t, dir)
	if _, err := experiment.Create(dir); !errors.Is(err, experiment.ErrLocked) {
		t.Errorf("second Create while the first is empty: %v", err)
	}
	if _, err := run.Begin(sample(), experiment.NewProcess()); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Open(dir); !errors.Is(err, experiment.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open while it is written: %v", err)
	}
	view, err := experiment.View(dir)
	if err != nil {
		t.Errorf("View while it is written: %v", err)
	}
	view.Close()
	run.Close()
	again, err := experiment.Open(dir)
	if err != nil {
		t.Fatalf("Open after Close: %v", err)
	}
	again.Close()
}

// A process that is killed gives its lock back.
func TestKillReleasesLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHoldLock$")
	cmd.Env = append(os.Environ(), "NACRE_TEST_HOLD="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("helper said %q", line)
	}
	if _, err := experiment.Open(dir); !errors.Is(err, experiment.ErrLocked) {
		t.Errorf("while the other process lives: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	run, err := experiment.Open(dir)
	if err != nil {
		t.Fatalf("after it was killed: %v", err)
	}
	run.Close()
}

// TestHoldLock is the other process of TestKillReleasesLock; on its own it only makes and closes a run.
func TestHoldLock(t *testing.T) {
	dir := os.Getenv("NACRE_TEST_HOLD")
	wait := time.Minute
	if dir == "" {
		dir, wait = filepath.Join(t.TempDir(), "run"), 0
	}
	run := create(t, dir)
	if _, err := run.Begin(sample(), experiment.NewProcess()); err != nil {
		t.Fatal(err)
	}
	if wait > 0 {
		os.Stdout.WriteString("held\n")
	}
	time.Sleep(wait)
}

func TestConfigAndRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	run := create(t, dir)
	if err := run.Notice("too early"); err == nil {
		t.Error("a notice before Begin was accepted")
	}
	first := experiment.NewProcess()
	first.CPUKernel, first.Device, first.MuJoCo, first.Workers = "avx2", "cpu/avx2 ×2", "3.3.0", 2
	first.Notices = []string{"no GPU was found"}
	added, err := run.Begin(sample(), first)
	if err != nil || len(added) != 0 {
		t.Fatalf("Begin: %v, %v", added, err)
	}
	for range 2 {
		if err := run.Notice("a window was shortened"); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()

	run, err = experiment.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	var cfg settings
	record, err := run.ReadConfig(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	if cfg != sample() {
		t.Errorf("configuration %+v, want %+v", cfg, sample())
	}
	want := first
	want.Notices = []string{"no GPU was found", "a window was shortened"}
	if len(record.Sessions) != 1 || !reflect.DeepEqual(record.Sessions[0], want) {
		t.Errorf("record %+v, want %+v", record.Sessions, want)
	}

	second := first
	second.Notices = nil
	second.CPUKernel, second.Workers = "avx512", 1
	added, err = run.Begin(cfg, second)
	if err != nil {
		t.Fatal(err)
	}
	if len(added) != 1 || !strings.Contains(added[0], "CPU kernel avx512 (before: avx2)") {
		t.Errorf("notices on resuming: %v", added)
	}
	if record, _ = run.ReadConfig(&cfg); len(record.Sessions) != 2 ||
		!reflect.DeepEqual(record.Sessions[1].Notices, added) {
		t.Errorf("record after resuming: %+v", record)
	}
	if !reflect.DeepEqual(record.Sessions[0], want) {
		t.Errorf("the first session changed: %+v", record.Sessions[0])
	}

	// The file of a run starts another run as it is, except that the record must be asked to be skipped.
	var copied settings
	if err := config.Resolve(&copied, config.File(run.Path(experiment.ConfigFile), "record")); err != nil ||
		copied != sample() {
		t.Errorf("config.toml for another run: %+v, %v", copied, err)
	}
	text, _ := os.ReadFile(run.Path(experiment.ConfigFile))
	if !strings.Contains(string(text), "# size of z") {
		t.Errorf("comments are missing:\n%s", text)
	}
}

func TestDamagedConfig(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, experiment.ConfigFile)
	os.WriteFile(path, []byte("seed = 3\n[pearl]\nlatnt = 5\n"), 0o644)
	run, err := experiment.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	var key *config.KeyError
	if _, err := run.ReadConfig(&settings{}); !errors.As(err, &key) || key.Nearest != "pearl.latent" ||
		!strings.Contains(err.Error(), path+":3") {
		t.Errorf("misspelt key: %v", err)
	}
	os.WriteFile(path, []byte("[record]\nsessions = 3\n"), 0o644)
	cfg := sample()
	if _, err := run.ReadConfig(&cfg); err == nil || !strings.Contains(err.Error(), "record in "+path) {
		t.Errorf("damaged record: %v", err)
	}
}

func TestTasks(t *testing.T) {
	run := create(t, filepath.Join(t.TempDir(), "run"))
	train := []sim.Task{{ID: 0, Params: []float64{0.30000000000000004, -1e-300}}, {ID: 1, Params: []float64{}}}
	test := []sim.Task{{ID: 2, Params: []float64{3}}}
	if err := run.WriteTasks("point-goal", train, test); err != nil {
		t.Fatal(err)
	}
	family, gotTrain, gotTest, err := run.ReadTasks()
	if err != nil || family != "point-goal" || !reflect.DeepEqual(gotTrain, train) ||
		!reflect.DeepEqual(gotTest, test) {
		t.Errorf("got %s %v %v, %v", family, gotTrain, gotTest, err)
	}
	os.WriteFile(run.Path(experiment.TasksFile), []byte("{"), 0o644)
	if _, _, _, err := run.ReadTasks(); err == nil || !strings.Contains(err.Error(), experiment.TasksFile) {
		t.Errorf("damaged file: %v", err)
	}
}
