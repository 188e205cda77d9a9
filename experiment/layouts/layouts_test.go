package layouts_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment/layouts"
	"nacre/internal/fatal"
	"nacre/tsne"
)

func Example() {
	dir, err := os.MkdirTemp("", "layouts")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	text := "x,y,task\n0,0,left\n1,0,left\n9,1,right\n10,0,right\n"
	if err := os.WriteFile(filepath.Join(dir, "tsne.csv"), []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	l, err := layouts.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, _, err := l.Select(context.Background(), layouts.Query{Text: "LEF"})
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := l.Measure(nil, "task", false)
	fmt.Println(rows.Count(), "on the left; ratio", math.Round(*all.Ratio), err)
	// Output:
	// 2 on the left; ratio 15 <nil>
}

var must = fatal.On

// folder has a layout of n points in four groups beside their vectors; it returns both.
func folder(t testing.TB, dir string, n, dim int) (x, y []float64, e *tsne.Embeddings) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	r := rand.New(rand.NewPCG(uint64(n), 2))
	e = &tsne.Embeddings{Mean: tsne.NewMatrix(n, dim), Label: make([]int, n), Names: []string{"a", "b", "c, d", "e"}}
	var b strings.Builder
	b.WriteString("x,y,label,reward\n")
	for i := range n {
		g := r.IntN(4)
		e.Label[i] = g
		x, y = append(x, float64(float32(float64(3*(g%2))+r.NormFloat64()))),
			append(y, float64(float32(float64(3*(g/2))+r.NormFloat64())))
		for k := range dim {
			e.Mean.Row(i)[k] = float64(float32(float64(g) + r.NormFloat64()))
		}
		fmt.Fprintf(&b, "%g,%g,%q,%g\n", x[i], y[i], e.Names[g], r.Float64())
	}
	must(t, os.WriteFile(filepath.Join(dir, "tsne.csv"), []byte(b.String()), 0o644))
	must(t, e.Save(filepath.Join(dir, "embeddings.npz")))
	return x, y, e
}

// Every point is in one tile, inside its square, and upper tiles are samples of all groups.
func TestTiles(t *testing.T) {
	dir := t.TempDir()
	x, y, e := folder(t, dir, 60_000, 3)
	l, err := layouts.Open(dir)
	must(t, err)
	seen := make([]bool, len(x))
	x0, y0, side := l.Square()
	for _, k := range l.Keys() {
		rows, ok := l.Tile(k)
		if !ok || len(rows) == 0 || len(rows) > 4096 {
			t.Fatalf("tile %v has %d points", k, len(rows))
		}
		size := side / float64(int(1)<<k.Z)
		for _, i := range rows {
			if seen[i] {
				t.Fatalf("point %d is in two tiles", i)
			}
			seen[i] = true
			if u, v := (x[i]-x0)/size, (y[i]-y0)/size; int(math.Floor(u)) != k.X || int(math.Floor(v)) != k.Y {
				t.Fatalf("point %d at (%g, %g) is in tile %v", i, x[i], y[i], k)
			}
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		t.Errorf("point %d is in no tile", i)
	}
	top, _ := l.Tile(layouts.Key{})
	count := make([]int, 4)
	for _, i := range top {
		count[e.Label[i]]++
	}
	for g, n := range count {
		if n < 850 || n > 1200 { // of 4,096, four standard deviations around a quarter are 913 to 1,135
			t.Errorf("%d of 4096 points of the first tile are of group %d", n, g)
		}
	}
}

// Selections and figures are those of the plain definitions.
func TestSelect(t *testing.T) {
	dir := t.TempDir()
	x, y, e := folder(t, dir, 3000, 5)
	l, err := layouts.Open(dir)
	must(t, err)
	ctx := t.Context()
	square := [][2]float64{{0, 0}, {2, 0}, {2, 2}, {0, 2}}
	rows, _, err := l.Select(ctx, layouts.Query{Polygon: square, Column: "label", Values: []string{"a", "c, d"}})
	must(t, err)
	for i := range x {
		want := x[i] > 0 && x[i] < 2 && y[i] > 0 && y[i] < 2 && e.Label[i]%2 == 0
		if rows.Has(i) != want {
			t.Fatalf("point %d of %s at (%g, %g): selected %v", i, e.Names[e.Label[i]], x[i], y[i], rows.Has(i))
		}
	}
	rows, near, err := l.Select(ctx, layouts.Query{Near: &layouts.Near{Row: 17, K: 20}})
	must(t, err)
	graph, err := tsne.ExactNeighbours(ctx, e.Mean, 20, 1)
	must(t, err)
	if len(near) != 20 || rows.Count() != 21 {
		t.Fatalf("%d neighbours, %d points", len(near), rows.Count())
	}
	for k, n := range near {
		if int32(n.Row) != graph.Index[17*20+k] || math.Abs(n.Distance-float64(graph.Distance[17*20+k])) > 1e-5 {
			t.Errorf("neighbour %d is %d at %g; t-SNE has %d at %g", k, n.Row, n.Distance, graph.Index[17*20+k],
				graph.Distance[17*20+k])
		}
	}
	f, err := l.Measure(nil, "label", true)
	must(t, err)
	want, err := tsne.MeasureClusters(e.Mean, e.Label)
	must(t, err)
	if math.Abs(*f.Within-want.Intra) > 1e-4 || math.Abs(*f.Between-want.Inter) > 1e-4 ||
		math.Abs(*f.Ratio-want.Ratio) > 1e-4 {
		t.Errorf("figures %g %g %g; package tsne has %g %g %g", *f.Within, *f.Between, *f.Ratio, want.Intra, want.Inter,
			want.Ratio)
	}
	lo, hi := 0.25, 0.5
	rows, _, err = l.Select(ctx, layouts.Query{Column: "reward", Lo: &lo, Hi: &hi})
	must(t, err)
	if n := rows.Count(); n < 650 || n > 850 {
		t.Errorf("%d of 3000 even numbers are between a quarter and a half", n)
	}
	for _, bad := range []layouts.Query{{Near: &layouts.Near{Row: 3000, K: 3}}, {Near: &layouts.Near{Row: -1, K: 3}},
		{Near: &layouts.Near{Row: 1}}, {Column: "lable"}, {Polygon: make([][2]float64, 9999)}} {
		if _, _, err := l.Select(ctx, bad); err == nil {
			t.Errorf("%+v was answered", bad)
		}
	}
}

// A file of several layouts is opened plane by plane, with the vectors of none but its own rows.
func TestPlanes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tsne.csv")
	must(t, os.WriteFile(path, []byte("plane,x,y,label\nPEARL,0,0,1\nTCL,5,5,1\nPEARL,1,0,2\nTCL,6,5,2\n"), 0o644))
	l, err := layouts.Open(path)
	must(t, err)
	if !slices.Equal(l.Planes, []string{"PEARL", "TCL"}) || len(l.X) != 4 {
		t.Errorf("planes %v of %d points", l.Planes, len(l.X))
	}
	if l, err = layouts.Open(path + "#TCL"); err != nil || l.Name != "TCL" || !slices.Equal(l.X, []float32{5, 6}) {
		t.Errorf("a plane: %+v, %v", l, err)
	}
	if _, err := layouts.Open(path + "#TLC"); err == nil || !strings.Contains(err.Error(), "PEARL, TCL") {
		t.Errorf("a plane that is not there: %v", err)
	}
}

func TestService(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	x, _, e := folder(t, filepath.Join(root, "run"), 500, 4)
	folder(t, outside, 10, 2)
	must(t, os.Symlink(outside, filepath.Join(root, "link")))
	must(t, os.WriteFile(filepath.Join(root, "table.csv"), []byte("a,b\n1,2\n"), 0o644))
	zipped := func(file, dir string, within ...string) {
		f, err := os.Create(file)
		must(t, err)
		z := zip.NewWriter(f)
		entries, err := os.ReadDir(dir)
		must(t, err)
		for _, to := range within {
			for _, e := range entries {
				data, err := os.ReadFile(filepath.Join(dir, e.Name()))
				must(t, err)
				w, err := z.Create(to + e.Name())
				must(t, err)
				_, err = w.Write(data)
				must(t, err)
			}
		}
		must(t, errors.Join(z.Close(), f.Close()))
	}
	zipped(filepath.Join(root, "packed.zip"), filepath.Join(root, "run"), "")
	zipped(filepath.Join(root, "all.zip"), filepath.Join(root, "run"), "run/", "again/")
	far := filepath.Join(t.TempDir(), "far.zip")
	zipped(far, outside, "")
	must(t, os.Symlink(far, filepath.Join(root, "far.zip")))
	must(t, os.WriteFile(filepath.Join(root, "cut.zip"), []byte("PK\x03\x04 and no more"), 0o644))
	site := httptest.NewServer(&layouts.Service{Root: root})
	defer site.Close()
	call := func(method, path string, body any) (int, []byte) {
		t.Helper()
		text, err := json.Marshal(body)
		must(t, err)
		req, err := http.NewRequest(method, site.URL+path, bytes.NewReader(text))
		must(t, err)
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		must(t, err)
		return resp.StatusCode, data
	}
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"../x": {400, "not below"}, "/etc/passwd": {400, "not below"}, "link": {400, "leads out"},
		"none": {404, "no such file"}, "table.csv": {404, "columns x and y"},
		"": {400, "not below"}, ".": {404, "nacre tsne"}, "run#p": {404, "plane"},
		"far.zip": {400, "leads out"}, "packed.zip/none": {404, "not exist"}, "packed.zip/../../x": {400, "not below"},
		"cut.zip": {400, "is cut off"},
	} {
		status, data := call("GET", "/open?file="+url.QueryEscape(path), nil)
		if status != want.status || !strings.Contains(string(data), want.says) || strings.Contains(string(data), root) {
			t.Errorf("%q: %d %s", path, status, data)
		}
	}
	var info layouts.Info
	_, data := call("GET", "/open?file=run", nil)
	for _, path := range []string{"packed.zip", "all.zip/run"} {
		if status, of := call("GET", "/open?file="+path, nil); status != 200 ||
			strings.Replace(string(of), `"packed"`, `"run"`, 1) != string(data) {
			t.Errorf("%s: %d %s, want %s", path, status, of, data)
		}
	}
	must(t, json.Unmarshal(data, &info))
	if info.Points != 500 || !info.Vectors || len(info.Tiles) != 1 || info.Columns[0].Name != "label" ||
		!slices.Equal(slices.Sorted(slices.Values(info.Columns[0].Names)), []string{"a", "b", "c, d", "e"}) ||
		info.Columns[1].Names != nil {
		t.Errorf("the layout is %+v", info)
	}
	_, data = call("GET", "/tile?file=run&z=0&x=0&y=0", nil)
	if n := binary.LittleEndian.Uint32(data); n != 500 || len(data) != 4+4*500*5 {
		t.Fatalf("a tile of %d points has %d bytes", n, len(data))
	}
	row := binary.LittleEndian.Uint32(data[4:])
	if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4+4*500:])); got != float32(x[row]) {
		t.Errorf("point %d is at x %g, not %g", row, got, x[row])
	}
	for _, bad := range []string{"/tile?file=run&z=9&x=0&y=0", "/tile?file=run&z=x&x=0&y=0",
		"/density?file=run&size=100000", "/density?file=run&size=16&hide=1&column=no", "/nothing"} {
		if status, data := call("GET", bad, nil); status < 400 || !json.Valid(data) {
			t.Errorf("%s: %d %s", bad, status, data)
		}
	}
	status, data := call("GET", "/density?file=run&size=16&column=label&hide=0&hide=1", nil)
	sum, want := uint32(0), uint32(0)
	for i := 0; i+3 < len(data); i += 4 {
		sum += binary.LittleEndian.Uint32(data[i:])
	}
	for _, v := range e.Label {
		if n := e.Names[v]; n == info.Columns[0].Names[2] || n == info.Columns[0].Names[3] {
			want++
		}
	}
	if status != 200 || sum != want {
		t.Errorf("%d: the cells hold %d points of %d", status, sum, want)
	}
	var a layouts.Answer
	_, data = call("POST", "/select",
		layouts.Request{File: "run", Group: "label", Query: layouts.Query{Column: "label", Values: []string{"c, d"}}})
	must(t, json.Unmarshal(data, &a))
	if a.Count != a.Rows.Count() || a.Original == nil || len(a.Plane.Groups) != 1 ||
		a.Plane.Groups[0].Points != a.Count || a.Plane.Between != nil {
		t.Errorf("one group: %+v", a)
	}
	_, data = call("POST", "/csv", layouts.Request{File: "run", Query: layouts.Query{Rows: a.Rows}})
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(records) != a.Count+1 || records[1][3] != "c, d" {
		t.Errorf("as CSV: %d lines, %v", len(records), err)
	}
	if status, data := call("POST", "/select", "x"); status != 400 || !json.Valid(data) {
		t.Errorf("no request: %d %s", status, data)
	}
	// What is written anew is read anew.
	folder(t, filepath.Join(root, "run"), 700, 4)
	_, data = call("GET", "/open?file=run", nil)
	must(t, json.Unmarshal(data, &info))
	if info.Points != 700 {
		t.Errorf("after another layout was written there are %d points", info.Points)
	}
}

// A study's planes are layouts, in an archive too, and are listed by what they are.
func TestList(t *testing.T) {
	root := t.TempDir()
	study, err := os.ReadFile("../../notebooks/data/point-goal.zip")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(root, "study.zip"), study, 0o644))
	must(t, os.MkdirAll(filepath.Join(root, "a", "b"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "a", "b", "tsne.csv"), []byte("x,y\n1,2\n3,4\n"), 0o644))
	l, err := layouts.List(root)
	must(t, err)
	if len(l.Entries) != 16 || l.Total != 16 || l.Entries[0] != (layouts.Entry{"a/b", "b", "a"}) {
		t.Fatalf("%d layouts, the first %+v", len(l.Entries), l.Entries[0])
	}
	for _, e := range l.Entries[1:] {
		if e.Group != "study.zip" || !strings.Contains(e.Name, "PEARL") || !strings.Contains(e.Name, "point-goal") {
			t.Errorf("%+v", e)
		}
		plane, err := layouts.Open(filepath.Join(root, filepath.FromSlash(e.File)))
		must(t, err)
		near := &layouts.Near{Row: 3, K: 2}
		if _, found, err := plane.Select(t.Context(), layouts.Query{Near: near}); err != nil || len(plane.X) != 1600 ||
			len(found) != 2 {
			t.Errorf("%s: %d points, %+v, %v", e.File, len(plane.X), found, err)
		}
	}
}
