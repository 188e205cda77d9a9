package pyfamily

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/python/pythontest"
	"nacre/sim"
)

// stepsFor names the family that this test's program steps for ever when another one of it starts it.
const stepsFor = "NACRE_TEST_STEPS"

func TestMain(m *testing.M) {
	if name := os.Getenv(stepsFor); name != "" {
		fmt.Fprintln(os.Stderr, stepForever(name))
		os.Exit(1)
	}
	os.Exit(pythontest.Main(m))
}

func stepForever(name string) error {
	f, err := Open(name)
	if err != nil {
		return err
	}
	train, _, err := f.Tasks(1, 0, 0)
	if err != nil {
		return err
	}
	pool, err := sim.NewPool(f, 2, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	for n := 0; ; n++ {
		episodes := []sim.Episode{{Task: train[0], Seed: 1}, {Task: train[1], Seed: 2}, {Task: train[2], Seed: 3}}
		if n == 1 {
			fmt.Println("steps") // all processes are there
		}
		_, err := pool.Rollout(context.Background(), episodes, sim.UniformPolicy(episodes, f.spec.ActDim), 2)
		if err == nil && n > 0 {
			_, err = pool.Rollout(context.Background(), episodes, sim.UniformPolicy(episodes, f.spec.ActDim), 0)
		}
		if err != nil {
			return err
		}
	}
}

// A program that is killed leaves no process, whatever its environments do, and so does one whose workers are killed.
func TestKillsLeaveNoProcess(t *testing.T) {
	heavy.Skip(t, "starts and kills programs")
	plainPython(t)
	for range 4 {
		for _, class := range []string{"plain.py:Point", "bad.py:Sleeps", "bad.py:Spins", "bad.py:Deadlocks",
			"bad.py:Spawns"} {
			for _, killed := range []string{"program", "worker", "both"} {
				t.Run(class+" "+killed, func(t *testing.T) { killOne(t, "py:testdata/"+class, killed) })
			}
		}
	}
}

func killOne(t *testing.T, name, killed string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stepsFor+"="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "steps\n" {
		t.Fatalf("the program said %q, %v", line, err)
	}
	workers := children(t, cmd.Process.Pid)
	if len(workers) != 2 && !strings.Contains(name, "Spawns") {
		t.Fatalf("%d processes; expected one for each of 2 workers", len(workers))
	}
	if killed != "program" && len(workers) > 0 {
		pid, err := strconv.Atoi(workers[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	if killed != "worker" || !strings.Contains(name, "Point") {
		// A program whose other worker never answers is killed too; one that can go on ends with an error.
		if err := cmd.Process.Kill(); err != nil && err != os.ErrProcessDone {
			t.Fatal(err)
		}
	}
	waitFor(t, "the program has ended", func() bool { return ended(strconv.Itoa(cmd.Process.Pid)) })
	for _, w := range workers {
		waitFor(t, "process "+w+" has ended", func() bool { return len(group(t, w)) == 0 })
	}
}

// waitFor waits for two minutes at most.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("two minutes went by until %s", what)
		}
	}
}

// ended reports whether a process runs no more.
func ended(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || strings.HasPrefix(string(text[strings.LastIndexByte(string(text), ')')+1:]), " Z")
}

// group are the processes of a process group.
func group(t *testing.T, of string) (out []string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range entries {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 2 && fields[2] == of && fields[0] != "Z" {
			out = append(out, filepath.Base(filepath.Dir(path)))
		}
	}
	return out
}
