package shell_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"nacre/internal/shell"
)

func Example() {
	fmt.Println(shell.Command("nacre", "resume", shell.Path("runs/first")))
	fmt.Println(shell.Command("nacre", "resume", shell.Path("-p q/it's")))
	// Output:
	// nacre resume runs/first
	// nacre resume './-p q/it'\''s'
}

// A shell reads every word back as it was, and a command stays on its line.
func TestShellsReadWordsBack(t *testing.T) {
	words := []string{
		"plain", "", "p q", "run,with comma", `d"q`, "it's", "-dash", "--", "a\nb", "a\r\nb", "tab\tbed", "$HOME",
		"`id`", "*", "?", "~", "~root", "=ls", "a=b",
		"#c", "!x", "a\\b", "Läufe mit Raum/日本/k 1'x", "\xff\xfe", "{a,b}", "a;b", "a&b", "(x)", "<in>", "|",
		"a\u2028b", "\x1b[31m", "'\n'", "\\\n",
	}
	line := shell.Command(append([]string{"printf", `%s\0`}, words...)...)
	if strings.ContainsAny(line, "\r\n") {
		t.Errorf("%q has more than one line", line)
	}
	ran := false
	for _, name := range []string{"bash", "zsh", "ksh"} {
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		ran = true
		out, err := exec.Command(name, "-c", line).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", words) {
			t.Errorf("%s reads\n%q\nwant\n%q", name, got, words)
		}
	}
	if !ran {
		t.Skip("there is no bash, zsh or ksh; install bash")
	}
}

func TestLine(t *testing.T) {
	for from, want := range map[string]string{"a b": "a b", "Läufe": "Läufe", "a\nb": `a\nb`, "a\x1b[1m": `a\x1b[1m`,
		"\xff": `\xff`, "it's": "it's"} {
		if got := shell.Line(from); got != want {
			t.Errorf("%q is shown as %q, want %q", from, got, want)
		}
	}
}
