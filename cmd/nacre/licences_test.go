package main

import (
	"os"
	"runtime/debug"
	"testing"

	"nacre/internal/bom"
	"nacre/internal/heavy"
)

// Everything that is in the program and its page has a checksum and a licence that is allowed. go run ./cmd/bom lists
// them.
func TestLicences(t *testing.T) {
	heavy.Skip(t, "asks for the packages of every system")
	t.Chdir("../..")
	if _, err := os.Stat("web/node_modules"); err != nil {
		t.Skip("the front end's packages are not fetched: run make web")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) < 20 {
		t.Fatalf("this program does not know its modules: %v", info)
	}
	parts, err := bom.Release(info)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if !p.Permitted() {
			t.Errorf("%s %s: the licence is %q", p.Name, p.Version, p.Licence)
		}
	}
}
