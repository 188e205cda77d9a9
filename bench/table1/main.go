// Command table1 measures numbers to compare with the paper's table 1, and writes them to docs/measurements. For each
// of the fifty families it has the returns, in Meta-World of 2020, of random actions and of the goal-blind and the
// goal-knowing controller, the largest return of an agent that cannot know the goal, and the returns in the authors'
// public logs.
//
//	go run -tags mujoco ./bench/table1 -authors FOLDER -policies policies.json
//
// FOLDER is a checkout of github.com/Simon0xzx/garage at its branch simon_work_new; its logs are read, never copied.
// policies.json is what policies.py writes: the returns of the repository's own scripted policies. It takes about ten
// minutes of two cores.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"nacre/experiment/paper"
	"nacre/internal/measurement"
	"nacre/sim"
	_ "nacre/sim/families"
	"nacre/sim/mujoco"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "table1:", err)
		os.Exit(1)
	}
}

// A policy is what policies.py says of the repository's scripted policy of a class.
type policy struct {
	Return    float64
	Successes int
	Tasks     int
}

// survey is what all rows are made from.
type survey struct {
	episodes int
	logs     authors
	policies map[string]policy
	families map[string]figures
	open     []string // families that are not in yet
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("table1", flag.ContinueOnError)
	folder := flags.String("authors", "", "a checkout of github.com/Simon0xzx/garage, branch simon_work_new")
	policies := flags.String("policies", "", "what bench/table1/policies.py has written")
	episodes := flags.Int("episodes", 50,
		"episodes of each policy on each family, at most one for each of the 50 test tasks")
	machine := flags.String("machine", fmt.Sprintf("%d cores, %s", runtime.NumCPU(), runtime.GOARCH),
		"what the file says of the machine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *folder == "" || *policies == "" || *episodes < 1 || *episodes > 50 || flags.NArg() > 0 {
		return errors.New("usage: table1 -authors FOLDER -policies FILE [-episodes 1..50] [-machine TEXT]")
	}
	s := survey{episodes: *episodes, logs: authors{*folder}, families: map[string]figures{}}
	text, err := os.ReadFile(*policies)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &s.policies); err != nil {
		return fmt.Errorf("%s: %w", *policies, err)
	}
	if err := s.measure(ctx); err != nil {
		return err
	}
	about := measurement.Measurement{Date: time.Now().Format(time.DateOnly), Commit: commit(), Machine: *machine,
		Commands: []string{"python bench/table1/policies.py CHECKOUT policies.json",
			"go run -tags mujoco ./bench/table1 -authors FOLDER -policies policies.json"}}
	for topic, fill := range map[string]func(*measurement.Measurement) error{
		"table1-older": s.older, "table1-newer": s.newer, "table1-parts": s.parts,
	} {
		m := about
		if err := fill(&m); err != nil {
			return err
		}
		path, err := measurement.Save(".", topic, m)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// measure measures all families, and lists those that are not in yet.
func (s *survey) measure(ctx context.Context) error {
	for _, name := range paper.Table1().Environments {
		f, err := measure(ctx, name, paper.Redrawn(name), s.episodes)
		switch {
		case errors.Is(err, errOpen):
			s.open = append(s.open, name)
			continue
		case errors.Is(err, sim.ErrUnavailable):
			return err
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		s.families[name] = f
		fmt.Printf("%-26s random %8.2f  blind %8.2f (%d)  told %8.2f (%d)  bound %8.2f of %8.2f\n", name, f.random.mean,
			f.blind.mean,
			f.blind.successes, f.told.mean, f.told.successes, f.blindBound, f.toldCeiling)
	}
	if len(s.open) > 0 {
		fmt.Printf("open, for they are not in yet: %s\n", strings.Join(s.open, ", "))
	}
	return nil
}

// conditions is what all files say of what was measured.
func (s *survey) conditions() string {
	text := fmt.Sprintf("Thousands of return, 200 steps, MuJoCo %s. Successes are of %d episodes, one for each test "+
		"task of seed 0; the policies ran in the repository's classes", mujoco.Version(), s.episodes)
	if len(s.open) > 0 {
		text += ". Not measured: " + strings.Join(s.open, ", ")
	}
	return text
}

// commit is the checkout's, with a plus where it has changes.
func commit() string {
	text, err := exec.Command("git", "describe", "--always", "--dirty=+").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
