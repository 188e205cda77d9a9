package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"nacre/internal/plainfile"
)

// Follower reads a metrics file while it grows. Each read returns the new rows.
type Follower struct {
	Columns []string // column names; empty until the file has a header
	path    string
	at      Position
	file    os.FileInfo
}

// Follow follows the metrics file at path, which need not exist yet.
func Follow(path string) *Follower { return &Follower{path: path} }

// half is the line that has no line end yet; 0 if there is none.
func (f *Follower) half() int {
	if f.file == nil || f.file.Size() <= f.at.Bytes {
		return 0
	}
	if f.Columns == nil {
		return 1
	}
	return f.at.Rows + 2
}

// Read returns the rows added since the last read. A last line without its line end is left for the next read. Again is
// true if the file is shorter than before or was replaced. This happens when a run is resumed: then the returned rows
// begin at the start of the file.
func (f *Follower) Read() (rows [][]float64, again bool, err error) {
	file, err := plainfile.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		again = f.at.Bytes > 0
		*f = Follower{path: f.path}
		return nil, again, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("metrics: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("metrics: %w", err)
	}
	if f.at.Bytes > info.Size() || f.file != nil && !plainfile.Same(f.file, info) {
		*f, again = Follower{path: f.path}, true
	}
	if f.file = info; info.Size() == f.at.Bytes {
		return nil, again, nil
	}
	if info.Size()-f.at.Bytes > maxText {
		return nil, again, fmt.Errorf("metrics: %s has %d bytes; expected at most %d", f.path, info.Size(), maxText)
	}
	data := make([]byte, info.Size()-f.at.Bytes)
	n, err := file.ReadAt(data, f.at.Bytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, again, fmt.Errorf("metrics: %w", err)
	}
	data = data[:bytes.LastIndexByte(data[:n], '\n')+1]
	if len(data) == 0 {
		return nil, again, nil
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if f.Columns == nil {
		columns := strings.Split(lines[0], ",")
		if err := checkColumns(columns); err != nil {
			return nil, again, fmt.Errorf("metrics: %s has no header: %w", f.path, err)
		}
		f.Columns, lines = columns, lines[1:]
	}
	if rows, _, err = parseRows(f.path, f.Columns, f.at.Rows, lines); err != nil {
		return nil, again, err
	}
	f.at.Bytes += int64(len(data))
	f.at.Rows += len(rows)
	return rows, again, nil
}
