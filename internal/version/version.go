// Package version says which build of nacre is running. It reads what the Go tool recorded in the program, so that a
// run folder or a checkpoint can name the program that wrote it.
//
//	fmt.Println(version.Get()) // nacre devel (4f1ee9b0c1d2, go1.26.8, linux/amd64)
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Info describes a build. Commit is the first 12 digits of the source's revision, with "+changes" if the tree had
// uncommitted changes. It is "unknown" if the build recorded no revision (tests, go run).
type Info struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Get returns the running program's build.
func Get() Info {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	return from(build)
}

func from(build *debug.BuildInfo) Info {
	info := Info{
		Version:  "devel",
		Commit:   "unknown",
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	// A build between releases has no version but a date and the commit, which Commit says better.
	if v := build.Main.Version; v != "" && v != "(devel)" && !strings.HasPrefix(v, "v0.0.0-") {
		info.Version = v
	}
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		info.Commit = revision[:min(12, len(revision))]
		if settings["vcs.modified"] == "true" {
			info.Commit += "+changes"
		}
	}
	return info
}

// String is the one-line form printed by nacre version.
func (i Info) String() string {
	return fmt.Sprintf("nacre %s (%s, %s, %s)", i.Version, i.Commit, i.Go, i.Platform)
}
