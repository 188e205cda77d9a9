package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// row is what is counted of a folder.
type row struct {
	folder string
	cells  counts
}

// table is the measurement as docs/measurements keeps it.
func table(list []row) map[string]any {
	commit := "unknown"
	if out, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	type told struct {
		Of    []string `json:"of"`
		Cells counts   `json:"cells"`
	}
	rows := []told{}
	columns := []map[string]string{{"name": files, "head": "notebooks"}, {"name": opened, "head": "open"},
		{"name": exact, "head": "canonical"}, {"name": exactKept, "head": "of these all bytes kept"},
		{"name": otherKept, "head": "others, all bytes kept"}, {"name": sameKept, "head": "others, same values"},
		{"name": shown, "head": "in Chromium"}, {"name": scripts, "head": "with script errors"}}
	for _, r := range list {
		all := counts{}
		for _, c := range columns {
			all[c["name"]] = r.cells[c["name"]]
		}
		rows = append(rows, told{[]string{r.folder}, all})
	}
	return map[string]any{
		"what": "Notebooks of public repositories, opened and saved without a change by the contents API and by the " +
			"page",
		"date": time.Now().Format(time.DateOnly), "commit": commit,
		"machine":    fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
		"conditions": "", "spread": "", "commands": []string{"go run ./bench/notebooks -nacre bin/nacre FOLDER"},
		"labels": []string{"repository"}, "columns": columns, "rows": rows,
	}
}
