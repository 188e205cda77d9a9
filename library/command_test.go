//go:build unix

package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/library"
)

// onEngines runs a test on a session of each engine.
func onEngines(t *testing.T, test func(t *testing.T, s kernel.Session)) {
	t.Run("yaegi", func(t *testing.T) { test(t, start(t)) })
	t.Run("go", func(t *testing.T) {
		heavy.Skip(t, "it compiles cells")
		s, err := kernel.New(kernel.Options{Library: library.New(), Engine: kernel.Compiled("..", "")})
		if err != nil {
			t.Skip("cells cannot be compiled here:", err)
		}
		t.Cleanup(func() { s.Close() })
		test(t, s)
	})
}

// Lines for a shell among lines of Go: what they print, what they give, how they fail. Go's own ! stays Go's.
func TestCommands(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		kerneltest.Cells(t, s, [][2]string{
			{"!echo one; echo two", "one\ntwo\n"},
			{"x := 3\n  !echo \"q u\" 'é' $((1 + 1)) `echo sub` \\\n   more\nx", "q u é 2 sub more\n3"},
			{"lines := !printf 'a\\nb c\\r\\n\\nlast'\nlen(lines)", "4"},
			{"lines[1] + lines[3]", `"b clast"`},
			{"none := !printf ''\nlen(none)", "0"},
			{"import \"os/exec\"\nimport \"errors\"\nvar failure *exec.ExitError\nout, err := !echo x; exit 7\n" +
				"errors.As(err, &failure)", "true"},
			{"failure.ExitCode()", "7"},
			{"out[0]", `"x"`},
			{"!exit 3\nprintln(\"not reached\")", "Error: !exit 3: exit status 3"},
			{"y := 1\nfiles := !exit 4\ny = 2", "Error: !exit 4: exit status 4"},
			{"y", "1"},
			{"ok := false\n!ok", "true"},
			{"!ok && true", "true"},
			{"!go get x/y", "CompileError: 1:1: a module is fetched by %get x/y@VERSION at the top of a cell"},
			{"!ls\nz := := 1", "CompileError: 2:6: expected operand, found ':='"},
		})
		r, out := execute(s, "!echo seen >&2; exit 1")
		if out.Stderr() != "seen\n" || r.Error == nil || len(r.Error.Positions) != 1 || r.Error.Positions[0].Line != 1 {
			t.Errorf("%q, %+v", out.Stderr(), r.Error)
		}
	})
}

// While it is written, a cell with commands is checked and completed as others are.
func TestCommandsWhileWriting(t *testing.T) {
	s := start(t)
	code := "import \"strings\"\nlines := !ls {a,b} > /dev/null\n!date\nstrings.ToUpp"
	if c := s.Complete(t.Context(), code, len(code)); len(c.Matches) != 2 || c.Matches[0].Text != "ToUpper" ||
		c.Start != len(code)-len("ToUpp") || c.End != len(code) {
		t.Errorf("completed by %+v", c)
	}
	for code, at := range map[string]int{"!ls\nstrings.ToUpper(x)": 0, "%%capture c\n!ls\nstrings.ToUpper(x)": 12,
		"%time strings.ToUpper(x)": 6} {
		found := s.Problems([]kernel.Source{{ID: "a", Code: "x := \"\""}, {ID: "b", Code: code}})
		if len(found[1]) != 1 || found[1][0].Import == nil || found[1][0].Import.At != at {
			t.Errorf("%q: %+v, want an import at %d", code, found[1], at)
		}
	}
	found := s.Problems([]kernel.Source{{ID: "a", Code: "!ls\nx := lines_of"}, {ID: "b", Code: "%%capture c\n!ls\nc"}})
	if len(found) != 2 || len(found[0]) != 1 || found[0][0].Line != 2 || found[0][0].Column != 6 || len(found[1]) != 0 {
		t.Errorf("problems: %+v", found)
	}
}

// An interrupt ends a command and what it started.
func TestInterruptOfCommand(t *testing.T) {
	s := start(t)
	file := filepath.Join(t.TempDir(), "pids")
	go func() {
		for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if b, _ := os.ReadFile(file); strings.Count(string(b), "\n") == 2 {
				break
			}
		}
		s.Interrupt()
	}()
	r, _ := execute(s, "!sleep 600 & echo $! > "+file+"; echo $$ >> "+file+"; wait")
	if r.Error == nil || r.Error.Name != "Interrupted" {
		t.Errorf("%+v", r.Error)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(b)) {
		var pid int
		fmt.Sscan(text, &pid)
		gone := func() bool { // also a process that nobody has waited for
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
		}
		for deadline := time.Now().Add(2 * time.Minute); !gone(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
	if r, _ := execute(s, "1 + 1"); r.Error != nil {
		t.Errorf("the next cell: %+v", r.Error)
	}
}

// %%capture holds what a cell prints and shows, also when it fails, and nothing else.
func TestCapture(t *testing.T) {
	onEngines(t, func(t *testing.T, s kernel.Session) {
		kerneltest.Cells(t, s, [][2]string{
			{"%%capture got\nimport \"fmt\"\nimport \"nacre/library/cell\"\nfmt.Println(\"inside\")\nprintln(\"e\")\n" +
				"!echo shell\ncell.Current().Show(\"m\", \"\", false)\n6 * 7", ""},
			{"got.Stdout + got.Stderr", `"inside\nshell\ne\n"`},
			{"len(got.Outputs)", "2"},
			{"got.Outputs[1][\"text/plain\"]", `"42"`},
			{"got", "captured lines of stdout: 2, of stderr: 1, outputs: 2; Show() shows it again"},
			{"%%capture\nfmt.Println(\"gone\")\n1", ""},
			{"%capture got\nfmt.Println(\"before\")\npanic(\"no\")", "Panic: no"},
			{"got.Stdout", `"before\n"`},
			{"%%capture got\n!exit 5", "Error: !exit 5: exit status 5"},
			{"got", "captured nothing"},
			{"%%capture got\nz := := 1", "CompileError: 2:6: expected operand, found ':='"},
		})
		_, out := execute(s, "%%capture got\nfmt.Println(1)\ncell.Current().Show(\"m\", \"\", false)")
		if out.Stdout() != "" || len(out.Shown()) != 0 {
			t.Errorf("the captured cell shows %q, %v", out.Stdout(), out.Shown())
		}
		_, out = execute(s, "got.Show()")
		if out.Stdout() != "1\n" || len(out.Shown()) != 1 || out.Shown()[0].MIME["text/plain"] != `"m"` {
			t.Errorf("shown again: %q, %v", out.Stdout(), out.Shown())
		}
	})
}
