package experiment

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// A file that is read in pieces cut anywhere gives the rows that it gives read at once, and one that is taken back,
// replaced or removed is read again from its beginning.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), MetricsFile)
	f := Follow(path)
	if rows, again, err := f.Read(); len(rows) > 0 || again || err != nil {
		t.Fatalf("no file: %v, %v, %v", rows, again, err)
	}
	text := "iteration,return\n"
	for i := range 50 {
		text += fmt.Sprintf("%d,%g\n", i, float64(i)/7)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var got [][]float64
	for at := 0; at < len(text); {
		at = min(len(text), at+1+r.IntN(20))
		if err := os.WriteFile(path, []byte(text[:at]), 0o644); err != nil {
			t.Fatal(err)
		}
		rows, again, err := f.Read()
		if again || err != nil {
			t.Fatalf("after %d bytes: %v, %v", at, again, err)
		}
		got = append(got, rows...)
	}
	want, err := ReadMetrics(path)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want.Rows) || fmt.Sprint(f.Columns) != fmt.Sprint(want.Columns) {
		t.Fatalf("%v rows followed (%v), want %v", got, err, want.Rows)
	}
	if err := os.Truncate(path, 40); err != nil {
		t.Fatal(err)
	}
	if rows, again, err := f.Read(); len(rows) != 1 || !again || err != nil {
		t.Errorf("taken back: %v, %v, %v", rows, again, err)
	}
	if err := os.WriteFile(path+".new", []byte("iteration,return,kl\n0,1,2\n1,,NaN\n3,x,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if _, again, err := f.Read(); !again || err == nil {
		t.Errorf("a cell that is no number: %v, %v", again, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if rows, _, err := f.Read(); len(rows) != 0 || err != nil {
		t.Errorf("removed: %v, %v", rows, err)
	}
}
