// Package tasks has ten small everyday tasks, each as a Go cell and as a Python program with pandas, matplotlib and
// scikit-learn. It counts the lines and characters of both. Its test runs them; docs/notebook.md has the table.
//
//	for _, t := range tasks.All() {
//		fmt.Println(t.Title, tasks.Count(t.Cell), tasks.Count(t.Python))
//	}
package tasks

import (
	"embed"
	"strings"
	"unicode/utf8"
)

// Task is one task. Its programs read the files that the test makes: runs/a and others beside it, and contexts.csv.
type Task struct {
	Name, Title  string
	Cell, Python string
}

//go:embed testdata
var files embed.FS

// titles of the tasks, by name.
var titles = [][2]string{
	{"01-returns", "returns of all runs with bands"},
	{"02-best-seed", "best seed of each arm"},
	{"03-variances", "histogram of posterior variances"},
	{"04-by-return", "layout coloured by return"},
	{"05-configurations", "what two configurations differ in"},
	{"06-own-reward", "a reward of one's own"},
	{"07-own-similarity", "a similarity of one's own"},
	{"08-sweep", "a sweep of three values"},
	{"09-csv", "a CSV file laid out"},
	{"10-rollout", "a rollout beside its reward"},
}

// All are the tasks, in order.
func All() []Task {
	var list []Task
	for _, t := range titles {
		list = append(list, Task{t[0], t[1], read(t[0] + ".cell"), read(t[0] + ".py")})
	}
	return list
}

func read(name string) string {
	data, err := files.ReadFile("testdata/" + name)
	if err != nil {
		panic(err) // a file of the program itself
	}
	return string(data)
}

// Size is the length of a program.
type Size struct{ Lines, Characters int }

// Count counts the lines that are not blank, and their characters without indentation.
func Count(program string) (s Size) {
	for line := range strings.Lines(program) {
		if line = strings.TrimSpace(line); line != "" {
			s.Lines++
			s.Characters += utf8.RuneCountInString(line)
		}
	}
	return s
}
