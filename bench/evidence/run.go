//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"nacre/core/cpu"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/quiet"
)

// run works on all items in their order, each as a sweep.
func (q queue) run(ctx context.Context) error {
	lock, err := quiet.Queue()
	if err != nil {
		return fmt.Errorf("a queue is running already (%w): one is enough, it uses all cores", err)
	}
	defer lock.Close()
	if err := lowest(); err != nil {
		say(fmt.Sprintf("the priority could not be lowered: %v", err))
	}
	prints, err := newFingerprints(filepath.Join(q.dir, "fingerprints"))
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	say(fmt.Sprintf("queue of %d items, kernel %s, process %d; kill %d ends it, and runs are saved", len(q.items),
		cpu.KernelName(), os.Getpid(), os.Getpid()))
	for _, item := range q.items {
		if ctx.Err() != nil {
			break
		}
		if item.Waits != "" {
			say(fmt.Sprintf("%s: waits for %s", item.Name, item.Waits))
			continue
		}
		if err := q.item(ctx, item, prints, []string{program, "worker"}); err != nil && ctx.Err() == nil {
			say(fmt.Sprintf("%s: %v", item.Name, err)) // the others go on
		}
	}
	return context.Cause(ctx)
}

// item trains what is left of one item.
func (q queue) item(ctx context.Context, item Item, prints *fingerprints, worker []string) error {
	plan := item.plan(q.dir)
	plan.Local.Processes = q.processes
	f, err := sweep.Prepare(plan)
	if err != nil {
		return err
	}
	awake(f) // those that a queue left standing that was killed
	if n := leaveOut(f, item.Name, q.committed); n > 0 {
		say(fmt.Sprintf("%s: %d of %d runs are finished and committed, and not trained again", item.Name, n,
			n+len(f.Runs)))
	}
	probes, err := item.probes(f.Runs)
	if err != nil {
		return err
	}
	all, err := f.Status()
	if err != nil {
		return err
	}
	for _, r := range all {
		now, err := prints.of(ctx, probes[r.System+" "+r.Family])
		if err != nil {
			return err
		}
		if err := settle(f, r, now, say); err != nil {
			return err
		}
	}
	watching, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		yield(watching, ctx, f)
	}()
	out, err := sweep.Runner{Local: plan.Local, Worker: worker,
		Show: progress.Lines(os.Stderr, 10*time.Minute)}.Run(ctx, f)
	stop()
	<-done
	var failed []string
	for _, r := range out.Failed {
		failed = append(failed, r.Run+": "+r.Reason)
	}
	if len(failed) > 0 {
		err = errors.Join(err, errors.New(strings.Join(failed, "; ")))
	}
	return err
}

// yield has the runs of a sweep stand still while anybody measures, until watching ends. When the queue is interrupted
// they go on, since they must save.
func yield(watching, interrupted context.Context, f *sweep.Folder) {
	standing := false
	defer func() { awake(f) }()
	for watching.Err() == nil {
		measuring := quiet.Measuring() && interrupted.Err() == nil
		switch {
		case measuring:
			if !standing {
				say("standing still: somebody measures")
			}
			signalAll(f, syscall.SIGSTOP) // again and again: a run may have begun meanwhile
		case standing:
			awake(f)
			say("going on")
		}
		standing = measuring
		select {
		case <-watching.Done():
		case <-time.After(quiet.Poll):
		}
	}
}

// awake has the runs of a sweep go on that stand still.
func awake(f *sweep.Folder) { signalAll(f, syscall.SIGCONT) }

// signalAll signals the processes of this machine that write the runs of a sweep.
func signalAll(f *sweep.Folder, s syscall.Signal) {
	here, _ := os.Hostname()
	for _, r := range f.Runs {
		run, err := experiment.View(f.RunDir(r))
		if err != nil {
			continue // not begun
		}
		if pid, host, err := run.Writer(); err == nil && pid > 0 && host == here && pid != os.Getpid() {
			_ = syscall.Kill(pid, s) // one that has just ended needs none
		}
	}
}
