//go:build unix

package sweep_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/experiment/sweep"
)

// command puts a shell script of that name in front of the PATH.
func command(t *testing.T, name, text string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// task runs the job script of a sweep as Slurm would for the second task of its array, with a worker that is a shell
// script, and returns the exit status, what scontrol was told and what the worker printed.
func task(t *testing.T, worker string, restarts string, signal syscall.Signal) (status int, requeued, log string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("Slurm's job scripts are for bash, which is not here")
	}
	dir := t.TempDir()
	plan := small(filepath.Join(dir, "it's a folder"))
	f := prepare(t, plan)
	calls := filepath.Join(dir, "calls")
	command(t, "scontrol", `echo "$@" >>'`+calls+`'`)
	command(t, "squeue", "exit 0")
	program := filepath.Join(dir, "a worker")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho run \"$3\"\n"+worker+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	sub, err := f.WriteJobs(t.Context(), sweep.Slurm{Setup: []string{"export COLOUR=blue"}},
		[]string{program, "worker"})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", sub.Script)
	cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=2", "SLURM_JOB_ID=77", "SLURM_RESTART_COUNT="+restarts)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	logFile := f.LogFile(f.Runs[1])
	if signal != 0 {
		for range 12_000 {
			if data, _ := os.ReadFile(logFile); strings.Contains(string(data), "ready") {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cmd.Process.Signal(signal)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	told, _ := os.ReadFile(calls)
	printed, _ := os.ReadFile(logFile)
	return status, strings.TrimSpace(string(told)), string(printed)
}

// What the job script does with the end of a run, in a real shell.
func TestJobScript(t *testing.T) {
	// A worker that saves its checkpoint on TERM, which takes a moment, and ends as an interrupted nacre does.
	const saves = "trap 'sleep 0.2; echo saved; exit 130' TERM\necho ready\nwhile :; do sleep 0.05; done"
	for _, c := range []struct {
		what, worker, restarts string
		signal                 syscall.Signal
		status                 int
		requeued, printed      string
	}{
		{"finished", "echo $COLOUR; exit 0", "0", 0, 0, "", "blue"},
		{"failed", "exit 1", "0", 0, 1, "", ""},
		{"killed", "kill -9 $$", "0", 0, 0, "requeue 77", ""},
		{"killed too often", "kill -9 $$", "3", 0, 137, "", ""},
		{"time is up", saves, "9", syscall.SIGUSR1, 0, "requeue 77", "saved"},
		{"preempted or cancelled", saves, "0", syscall.SIGTERM, 130, "", "saved"},
	} {
		t.Run(c.what, func(t *testing.T) {
			status, requeued, log := task(t, c.worker, c.restarts, c.signal)
			if status != c.status || requeued != c.requeued || !strings.Contains(log, c.printed) ||
				!strings.Contains(log, "run point-goal-tcl-pearl-seed1") {
				t.Errorf("status %d, scontrol %q, log %q; want %d, %q, %q", status, requeued, log, c.status, c.requeued,
					c.printed)
			}
		})
	}
}

func TestScriptOptions(t *testing.T) {
	f := prepare(t, small(t.TempDir()))
	text, err := f.Script(sweep.Slurm{Partition: "gpu", Account: "lab", Time: "1-00:00:00", CPUs: 4, Memory: "2G",
		AtOnce:  8,
		Options: []string{"--qos=low"}}, "runs-1.txt", 12, []string{"/opt/nacre"})
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(text, "\n\n")
	for _, want := range []string{"--job-name=small", "--array=1-12%8", "--cpus-per-task=4", "--requeue",
		"--open-mode=append", "--partition=gpu",
		"--account=lab", "--mem=2G", "--time=1-00:00:00", "--signal=B:USR1@120", "--qos=low"} {
		if !strings.Contains(head+"\n", "#SBATCH "+want+"\n") {
			t.Errorf("no %s in:\n%s", want, head)
		}
	}
	text, err = f.Script(sweep.Slurm{}, "runs-1.txt", 3, []string{"/opt/nacre"})
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"--time", "--signal", "--partition", "--mem", "%8"} {
		if strings.Contains(text, not) {
			t.Errorf("%s though the plan does not ask for it", not)
		}
	}
}

// With stand-ins for sbatch and squeue: what is submitted, what the queue says, and that nothing is submitted twice.
func TestSubmit(t *testing.T) {
	f := prepare(t, small(t.TempDir()))
	command(t, "sbatch", "echo '41;cluster'")
	command(t, "squeue", "exit 1") // without submissions nobody asks
	worker := []string{"/opt/nacre", "sweep", "worker"}
	sub, err := f.WriteJobs(t.Context(), sweep.Slurm{}, worker)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Submit(t.Context(), sub); err != nil {
		t.Fatal(err)
	}
	want := []string{"point-goal-pearl-seed1", "point-goal-tcl-pearl-seed1", "point-goal-told-seed1"}
	if sub.Job != "41" || !reflect.DeepEqual(sub.Runs, want) {
		t.Errorf("%+v", sub)
	}
	command(t, "squeue", "echo 41 1 RUNNING; echo 41 3 PENDING; echo 40 2 RUNNING; echo 41 9 RUNNING; echo 41 N/A "+
		"PENDING")
	status, err := f.QueueStatus(t.Context())
	if err != nil || status[0].State != sweep.Running || status[1].State != sweep.Waiting ||
		status[2].State != sweep.Queued {
		t.Fatalf("%v %v %v, %v", status[0].State, status[1].State, status[2].State, err)
	}
	if sub, err = f.WriteJobs(t.Context(), sweep.Slurm{}, worker); err != nil ||
		!reflect.DeepEqual(sub.Runs, want[1:2]) || filepath.Base(sub.Script) != "job-2.sh" {
		t.Errorf("what Slurm does not have: %+v, %v", sub, err)
	}
	command(t, "squeue", "for i in 1 2 3; do echo 41 $i PENDING; done")
	if sub, err = f.WriteJobs(t.Context(), sweep.Slurm{}, worker); err != nil || sub != nil {
		t.Errorf("everything is queued: %+v, %v", sub, err)
	}
	command(t, "squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1")
	if _, err = f.QueueStatus(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "Unable to contact slurm controller") {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err = f.QueueStatus(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no squeue here") {
		t.Errorf("error %v", err)
	}
}
