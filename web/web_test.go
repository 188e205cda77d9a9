package web

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func ExampleFiles() {
	files, _ := Files()
	_, err := fs.Stat(files, "index.html")
	fmt.Println(err)
	// Output: <nil>
}

func TestPlaceholderWithoutBuild(t *testing.T) {
	files, built := choose(fstest.MapFS{"dist/README": {Data: []byte("note")}}, placeholder)
	if built {
		t.Error("a folder without index.html counts as built")
	}
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "Node 18") {
		t.Errorf("the page does not say what to install:\n%s", page)
	}
}

// The policy in the page is what keeps a hostile notebook from reaching out: each part has to be there.
func TestBuiltPageHasItsPolicy(t *testing.T) {
	files, built := Files()
	if !built {
		t.Skip("the front end is not built: run make web")
	}
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-src 'self'",
		"form-action 'none'", "base-uri 'none'", "object-src 'none'", "img-src 'self' data: blob:"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page's policy lacks %q", want)
		}
	}
	if strings.Contains(string(page), "script-src 'self' 'unsafe-inline'") ||
		strings.Contains(string(page), "'unsafe-eval'") {
		t.Error("the page's policy allows scripts in the page")
	}
	frame, err := fs.ReadFile(files, "static/frame.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(frame), "default-src 'none'") || strings.Contains(string(frame), "connect-src") {
		t.Error("the sandboxed frame may reach the network")
	}
}
