package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestFrom(t *testing.T) {
	build := &debug.BuildInfo{Main: debug.Module{Version: "v0.3.1"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "true"},
	}}
	got := from(build)
	want := Info{"v0.3.1", "0123456789ab+changes", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if got != want {
		t.Errorf("from = %+v, want %+v", got, want)
	}
	if got := from(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}); got.Version != "devel" ||
		got.Commit != "unknown" {
		t.Errorf("from without stamps = %+v", got)
	}
	if got := from(&debug.BuildInfo{
		Main: debug.Module{Version: "v0.0.0-20261120201300-61770ddcc137+dirty"}}); got.Version != "devel" {
		t.Errorf("version between releases = %q", got.Version)
	}
	if s := Get().String(); !strings.HasPrefix(s, "nacre ") || !strings.Contains(s, runtime.Version()) {
		t.Errorf("String() = %q", s)
	}
}
