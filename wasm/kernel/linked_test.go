//go:build !js

package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Whoever opens a shared notebook fetches what the kernel links.
func TestLinked(t *testing.T) {
	cmd := exec.Command("go", "list", "-buildvcs=false", "-deps", ".")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if len(linked) < 100 {
		t.Fatalf("%d packages: expected those of the kernel", len(linked))
	}
	for _, p := range linked {
		switch p {
		case "net/http", "crypto/tls", "net/rpc", "html/template", "github.com/yuin/goldmark", "nacre/experiment/runs":
			t.Errorf("the browser's kernel links %s", p)
		}
	}
}
