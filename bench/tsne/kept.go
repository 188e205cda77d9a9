package tsnebench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Kept is a folder of layouts that other libraries have made, so that a run of hours that was stopped goes on where it
// was. Each result says when it was made.
type Kept string

func (k Kept) path(name string, points, columns, start int) string {
	file := fmt.Sprintf("%s-%dx%d", strings.ReplaceAll(name, " ", "-"), points, columns)
	if start > 0 {
		file += fmt.Sprintf("-start%d", start)
	}
	return filepath.Join(string(k), file)
}

// Load returns the layout of a library that is in the folder, from its own start (0) or a shared one; false where there
// is none.
func (k Kept) Load(name string, points, columns, start int) (Result, bool, error) {
	var r Result
	if k == "" {
		return r, false, nil
	}
	path := k.path(name, points, columns, start)
	text, err := os.ReadFile(path + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, false, fmt.Errorf("%s.json: %w", path, err)
	}
	r.y.Rows, r.y.Cols = points, 2
	r.y.Data, err = readFloats(path+".f64", 2*points)
	return r, err == nil, err
}

// Save puts a layout into the folder. It does not save a result without a layout (Absent), so the next run tries that
// library again.
func (k Kept) Save(r Result, start int) error {
	if k == "" || r.Absent != "" {
		return nil
	}
	if err := os.MkdirAll(string(k), 0o755); err != nil {
		return err
	}
	path := k.path(r.Name, r.Points, r.Columns, start)
	if err := writeFloats(path+".f64", r.y.Data); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".json", append(text, '\n'), 0o644)
}
