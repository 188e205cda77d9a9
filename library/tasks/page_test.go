package tasks_test

import (
	"os"
	"regexp"
	"testing"

	"nacre/internal/heavy"
)

// The cells of the page about notebooks run one after another, as they stand there, and each shows something.
func TestCellsOfThePage(t *testing.T) {
	heavy.Skip(t, "trains in cells")
	page, err := os.ReadFile("../../docs/notebook.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("points.csv", []byte(points), 0o644); err != nil {
		t.Fatal(err)
	}
	s := session(t)
	cells := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(page, -1)
	if len(cells) < 3 {
		t.Fatalf("the page has %d cells, expected 3", len(cells))
	}
	for k, cell := range cells {
		shown, out := execute(t, s, string(cell[1]))
		if shown.Value == nil && len(out.Shown()) == 0 {
			t.Errorf("cell %d of the page shows nothing", k+1)
		}
	}
}

// points is a table to lay out, as the page names one.
const points = "a,b,c,task\n1,2,3,x\n2,3,1,x\n1,3,2,x\n2,2,3,x\n1,1,2,x\n8,9,7,y\n9,8,9,y\n7,9,8,y\n8,8,9,y\n" +
	"9,7,7,y\n" +
	"1,9,5,z\n2,8,4,z\n1,8,5,z\n2,9,6,z\n1,7,5,z\n"
