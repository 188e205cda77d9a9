package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/plainfile/plainfiletest"
)

const root = "../.."

// TestPicturesAreCurrent compares the committed pictures with what the data give now.
func TestPicturesAreCurrent(t *testing.T) {
	for _, name := range all() {
		want, err := draw(root, name)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := os.ReadFile(filepath.Join(root, "docs/img", name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("docs/img/%s differs from its data: go run ./bench/pictures", name)
		}
	}
}

// TestPushPlane checks the values of the finding's picture against those that were written down by hand.
func TestPushPlane(t *testing.T) {
	c, err := pictures["push-plane.svg"](root)
	if err != nil {
		t.Fatal(err)
	}
	marks, refs := c.Panels[0].Marks, c.Panels[0].References
	if len(marks) != 6 || len(refs) != 2 {
		t.Fatalf("%d marks and %d lines, want 6 and 2", len(marks), len(refs))
	}
	near := func(what string, got, want float64) {
		if got < want-0.005 || got > want+0.005 {
			t.Errorf("%s is %.3f, want %.2f", what, got, want)
		}
	}
	for k, want := range []float64{0.50, 0.79, 0.76} {
		near("mean of "+c.X.Categories[k], marks[2*k].Y[0], want)
		if n := len(marks[2*k+1].Y); n != 10 {
			t.Errorf("%s has %d seeds, want 10", c.X.Categories[k], n)
		}
	}
	near("the paper's PEARL", refs[0].Y, 1.16)
	near("the paper's TCL-PEARL", refs[1].Y, 2.58)
}

// TestStudiesWithoutValuesAreErrors leaves an arm without a figure.
func TestStudiesWithoutValuesAreErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		plainfiletest.Archive(t, filepath.Join(dir, "notebooks/data/push.zip"), "results.json", text)
	}
	for text, want := range map[string]string{
		`{}`:                           "has no arms",
		`{"arms": [{"name": "pearl"}]`: "unexpected end",
		`{"arms": [{"name": "pearl", "title": "PEARL"}]}`: "has plane_ratio of 0 of its 1 arms",
	} {
		write(text)
		if _, err := pictures["push-plane.svg"](dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error that says %q", text, err, want)
		}
	}
}
