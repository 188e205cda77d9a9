package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// glossary is the page whose last table has the words that are not used, in its first column.
const glossary = "docs/glossary.md"

// exception is where a word stays: in files whose names begin so.
type exception struct{ at, why string }

// exceptions are those of each word of that table.
var exceptions = map[string][]exception{
	"yardstick": {
		{"rl/yardstick/", "the package's old name, which cells may import for a release"},
		{"library/lab/tables.go", "the method's old name, for a release"},
		{"docs/packages.md", "lists the package"},
	},
	"MustRegister": {{"sim/registry.go", "the old name, for a release"}},
	"RegisterOwn":  {{"rl/algorithm.go", "the old name, for a release"}},
	"sim.Register": {{"library/kernel_test.go", "a cell with the old name is told the new one"}},
	"fed":          {{"experiment/sweep/slurm.go", "a state of Slurm's"}},
	"mirror": {
		{"kernel/", "types that hold for native code what a cell's types hold"},
		{"sim/", "what is symmetric"},
		{"analysis/", "what is symmetric"},
		{"web/", "what is symmetric; CodeMirror"},
	},
}

// banned reads the words that are not used from the glossary.
func banned(root string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, glossary))
	if err != nil {
		return nil, err
	}
	_, rows, ok := strings.Cut(string(text), "\n| Not | But |\n|---|---|\n")
	if !ok {
		return nil, fmt.Errorf("%s has no table | Not | But |", glossary)
	}
	var words []string
	for line := range strings.Lines(rows) {
		first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !ok {
			break
		}
		words = append(words, strings.Split(first, ", ")...)
	}
	return words, nil
}

// uses finds a word in texts, as "file:line: text"; of one word its plural too. Lines of more than a page's width by
// far are pictures in notebooks.
func uses(texts map[string]string, word string) (found []string) {
	low := strings.ToLower(word)
	pattern := `(^|[^a-z])` + regexp.QuoteMeta(low)
	if !strings.Contains(low, " ") {
		pattern += "s?"
	}
	bound := regexp.MustCompile(pattern + `($|[^a-z])`)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !strings.Contains(texts[name], low) {
			continue
		}
		n := 0
		for line := range strings.Lines(texts[name]) {
			if n++; len(line) < 10*width && bound.MatchString(line) {
				found = append(found, fmt.Sprintf("%s:%d: %s", name, n, strings.TrimSpace(line)))
			}
		}
	}
	return found
}

// written reads what people write and read, in small letters: code, pages and notebooks. Generated files, programs that
// test cells, data and the log of changes, which tells of old names, are none.
func written(root string) (map[string]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "*.go", "*.ts", "*.py", "*.h", "*.wgsl", "*.sh", "*.md",
		"*.ipynb", "*.toml", "Makefile")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	texts := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if slices.ContainsFunc(unread, func(from string) bool { return strings.HasPrefix(name, from) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		texts[name] = strings.ToLower(string(text))
	}
	return texts, nil
}

// unread are the beginnings of the names of files that written leaves out.
var unread = []string{"library/symbols/", "kernel/standard/", "fidelity/", "notebooks/data/", "CHANGELOG.md", glossary,
	"internal/docs/words.go"}
