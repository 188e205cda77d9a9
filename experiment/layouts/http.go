package layouts

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/internal/plainfile"
)

// Service answers the page of embeddings for the files below a folder. Paths are relative to the place where it is
// mounted. FILE is an argument of Open, below the root.
//
//	GET  list                            returns a Listing
//	GET  open?file=FILE                  returns an Info
//	GET  tile?file=FILE&z=Z&x=X&y=Y      returns a tile, packed (Layout.encode)
//	GET  density?file=FILE&size=N        returns counts in N×N cells, as uint32, little-endian; with
//	                                     column=NAME&hide=I&hide=J, points do not count whose value in
//	                                     the column is name number I or J
//	POST select                          takes a Request, returns an Answer
//	POST csv                             takes a Request, returns the selected rows as CSV
type Service struct {
	Root string

	mu    sync.Mutex
	known map[string]*opened
	clock int
}

// opened is a layout that is kept for the next request.
type opened struct {
	layout *Layout
	err    error
	stamp  string
	used   int
	done   chan struct{}
}

// maxOpened is the number of layouts that are kept: three side by side, and those of another tab.
const maxOpened = 6

// maxNames is the largest number of names of a column that the page gets.
const maxNames = 5000

// Info holds the facts about a layout that the page gets.
type Info struct {
	Name    string       `json:"name"`
	Points  int          `json:"points"`
	Square  [3]float64   `json:"square"` // x and y of the lower left corner, and the side
	Columns []ColumnInfo `json:"columns"`
	Planes  []string     `json:"planes,omitempty"`
	Vectors bool         `json:"vectors"`
	Tiles   [][4]int     `json:"tiles"` // level, x, y and number of points of each tile
}

// ColumnInfo is a column without its values.
type ColumnInfo struct {
	Name  string   `json:"name"`
	Names []string `json:"names,omitempty"` // names in their order; null for a column of numbers
	Count []int    `json:"count,omitempty"` // number of points of each name
	Lo    float64  `json:"lo"`
	Hi    float64  `json:"hi"`
}

// Request asks for points or for their figures.
type Request struct {
	File  string `json:"file"`
	Query Query  `json:"query"`
	Group string `json:"group"` // column whose names are the groups of the figures
}

// Answer is a selection and its figures.
type Answer struct {
	Count int         `json:"count"`
	Rows  Rows        `json:"rows"` // base64
	Near  []Neighbour `json:"near,omitempty"`
	// places of the points if they are few, because the page may not have them
	Places   []Spot   `json:"places,omitempty"`
	Plane    Figures  `json:"plane"`
	Original *Figures `json:"original,omitempty"` // figures among the vectors, if these are known
}

// Spot is the place of a point.
type Spot struct {
	Row  int        `json:"row"`
	At   [2]float32 `json:"at"`
	Text []string   `json:"text"` // value of the point in each column
}

// maxPlaces is the largest number of selected points whose places the page gets.
const maxPlaces = 100

func (l *Layout) places(rows Rows, near *Near) (out []Spot) {
	add := func(i int) {
		p := Spot{Row: i, At: [2]float32{l.X[i], l.Y[i]}, Text: []string{}}
		for _, c := range l.Columns {
			p.Text = append(p.Text, c.text(i))
		}
		out = append(out, p)
	}
	if near != nil {
		add(near.Row) // first
	}
	for i := range l.X {
		if rows.Has(i) && (near == nil || i != near.Row) {
			add(i)
		}
	}
	return out
}

// text is a value in words.
func (c Column) text(i int) string {
	if c.Names != nil {
		return c.Names[int(c.Values[i])]
	}
	return strconv.FormatFloat(float64(c.Values[i]), 'g', -1, 32)
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<20)
	var err error
	switch r.Method + " " + r.URL.Path {
	case "GET /list":
		err = s.list(w)
	case "GET /open":
		err = s.info(w, r)
	case "GET /tile":
		err = s.tile(w, r)
	case "GET /density":
		err = s.density(w, r)
	case "POST /select":
		err = s.choose(w, r)
	case "POST /csv":
		err = s.csv(w, r)
	default:
		err = fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, os.ErrNotExist)
	}
	if err != nil && r.Context().Err() == nil {
		status := http.StatusBadRequest
		if missing(err) {
			status = http.StatusNotFound
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"message": s.short(err)})
	}
}

func (s *Service) list(w http.ResponseWriter) error {
	l, err := List(s.Root)
	if err != nil {
		return err
	}
	return writeJSON(w, l)
}

// short is an error without the root's path.
func (s *Service) short(err error) string {
	return strings.ReplaceAll(err.Error(), s.Root+string(filepath.Separator), "")
}

// layout opens a file below the root, or has it still.
func (s *Service) layout(ctx context.Context, file string) (*Layout, error) {
	path, plane, named := strings.Cut(file, "#")
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, fmt.Errorf("file %q is not below the served folder", path)
	}
	root, err := filepath.EvalSymlinks(s.Root)
	if err != nil {
		return nil, err
	}
	path = filepath.Join(root, filepath.FromSlash(path))
	archive, within, zipped := plainfile.Split(path)
	if zipped {
		path = archive
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	if path != root && !strings.HasPrefix(path, root+string(filepath.Separator)) {
		return nil, fmt.Errorf("file %q leads out of the served folder", file)
	}
	if zipped {
		path = filepath.Join(path, filepath.FromSlash(within))
	}
	stamp := stampOf(path)
	s.mu.Lock()
	if s.known == nil {
		s.known = map[string]*opened{}
	}
	s.clock++
	o := s.known[file]
	if o == nil || o.stamp != stamp {
		o = &opened{stamp: stamp, done: make(chan struct{})}
		s.known[file] = o
		if len(s.known) > maxOpened {
			s.forget(o)
		}
		go func() {
			defer close(o.done)
			if named {
				path += "#" + plane
			}
			o.layout, o.err = Open(path)
		}()
	}
	o.used = s.clock
	s.mu.Unlock()
	select {
	case <-o.done:
		return o.layout, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// forget drops the layout that was used longest ago. Service is locked.
func (s *Service) forget(but *opened) {
	oldest := ""
	for file, o := range s.known {
		if o != but && (oldest == "" || o.used < s.known[oldest].used) {
			oldest = file
		}
	}
	delete(s.known, oldest)
}

// stampOf changes when a file, or one of a folder that Open reads, is written.
func stampOf(path string) string {
	var b strings.Builder
	for _, name := range append([]string{"", embeddingsFile}, files...) {
		if info, err := plainfile.Stat(filepath.Join(path, name)); err == nil && (name == "" || !info.IsDir()) {
			fmt.Fprint(&b, name, info.Size(), info.ModTime().Format(time.RFC3339Nano), " ")
		}
	}
	return b.String()
}

func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	return json.NewEncoder(w).Encode(v)
}

func (s *Service) info(w http.ResponseWriter, r *http.Request) error {
	l, err := s.layout(r.Context(), r.FormValue("file"))
	if err != nil {
		return err
	}
	i := Info{Name: l.Name, Points: len(l.X), Planes: l.Planes, Vectors: l.HasVectors(), Columns: []ColumnInfo{}}
	i.Square[0], i.Square[1], i.Square[2] = l.Square()
	for _, k := range l.Keys() {
		rows, _ := l.Tile(k)
		i.Tiles = append(i.Tiles, [4]int{k.Z, k.X, k.Y, len(rows)})
	}
	for _, c := range l.Columns {
		i.Columns = append(i.Columns, c.info())
	}
	return writeJSON(w, i)
}

func (c Column) info() ColumnInfo {
	out := ColumnInfo{Name: c.Name}
	if c.Names != nil {
		out.Names, out.Count = c.Names, make([]int, len(c.Names))
		for _, v := range c.Values {
			out.Count[int(v)]++
		}
		if n := maxNames; len(out.Names) > n {
			out.Names, out.Count = out.Names[:n], out.Count[:n]
		}
		return out
	}
	first := true
	for _, v := range c.Values {
		if x := float64(v); !bad(v) {
			if first {
				out.Lo, out.Hi, first = x, x, false
			}
			out.Lo, out.Hi = min(out.Lo, x), max(out.Hi, x)
		}
	}
	return out
}

// whole reads a whole number of a request.
func whole(r *http.Request, name string, least, most int) (int, error) {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s=%.40s; expected a whole number from %d to %d", name, r.FormValue(name), least, most)
	}
	return n, nil
}

func (s *Service) tile(w http.ResponseWriter, r *http.Request) error {
	l, err := s.layout(r.Context(), r.FormValue("file"))
	if err != nil {
		return err
	}
	z, err1 := whole(r, "z", 0, levels-1)
	x, err2 := whole(r, "x", 0, 1<<levels)
	y, err3 := whole(r, "y", 0, 1<<levels)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	rows, ok := l.Tile(Key{z, x, y})
	if !ok {
		return fmt.Errorf("tile %d/%d/%d: %w", z, x, y, os.ErrNotExist)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(l.encode(rows))
	return err
}

func (s *Service) density(w http.ResponseWriter, r *http.Request) error {
	l, err := s.layout(r.Context(), r.FormValue("file"))
	if err != nil {
		return err
	}
	size, err := whole(r, "size", 8, 1024)
	if err != nil {
		return err
	}
	var keep func(i int) bool
	if hidden := r.URL.Query()["hide"]; len(hidden) > 0 {
		c, err := l.Find(r.FormValue("column"))
		if err != nil {
			return err
		}
		off := map[float32]bool{}
		for _, h := range hidden {
			code, err := strconv.Atoi(h)
			if err != nil {
				return fmt.Errorf("hide=%.40s; expected the place of a name", h)
			}
			off[float32(code)] = true
		}
		keep = func(i int) bool { return !off[c.Values[i]] }
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-store")
	return binary.Write(w, binary.LittleEndian, l.density(size, keep))
}

// asked reads a request and finds its points.
func (s *Service) asked(r *http.Request) (*Layout, Request, Rows, []Neighbour, error) {
	var q Request
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return nil, q, nil, nil, fmt.Errorf("a selection: %w", err)
	}
	l, err := s.layout(r.Context(), q.File)
	if err != nil {
		return nil, q, nil, nil, err
	}
	rows, near, err := l.Select(r.Context(), q.Query)
	return l, q, rows, near, err
}

func (s *Service) choose(w http.ResponseWriter, r *http.Request) error {
	l, q, rows, near, err := s.asked(r)
	if err != nil {
		return err
	}
	a := Answer{Count: rows.Count(), Rows: rows, Near: near}
	if a.Count <= maxPlaces {
		a.Places = l.places(rows, q.Query.Near)
	}
	if a.Plane, err = l.Measure(rows, q.Group, false); err != nil {
		return err
	}
	if original, err := l.Measure(rows, q.Group, true); err == nil { // or it is without
		a.Original = &original
	}
	return writeJSON(w, a)
}

func (s *Service) csv(w http.ResponseWriter, r *http.Request) error {
	l, _, rows, _, err := s.asked(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	out := bufio.NewWriter(w)
	defer out.Flush()
	fmt.Fprint(out, "row,x,y")
	for _, c := range l.Columns {
		fmt.Fprint(out, ",", quoted(c.Name))
	}
	fmt.Fprintln(out)
	for i := range l.X {
		if !rows.Has(i) {
			continue
		}
		fmt.Fprintf(out, "%d,%g,%g", i, l.X[i], l.Y[i])
		for _, c := range l.Columns {
			fmt.Fprint(out, ",", quoted(c.text(i)))
		}
		if _, err := fmt.Fprintln(out); err != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

// quoted is a field of a CSV file.
func quoted(text string) string {
	if strings.ContainsAny(text, ",\"\r\n") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}
