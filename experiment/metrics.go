package experiment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"nacre/internal/atomicfile"
	"nacre/internal/nearest"
	"nacre/internal/plainfile"
)

// Row is one row of a metrics file by column. Missing columns are written as empty cells.
type Row map[string]float64

// Position is a place in a metrics file. A checkpoint stores it, so that the file can be taken back to this place.
type Position struct {
	Bytes int64 `json:"bytes"`
	Rows  int   `json:"rows"`
}

// Metrics appends rows to a CSV file with fixed columns. Numbers are written with the fewest digits that read back to
// the same float64 (whole ones as whole numbers, and NaN, +Inf, -Inf), so equal numbers give equal bytes. Values that
// depend on the clock belong into timing.csv, not into metrics.csv; timing.csv is a Metrics too.
type Metrics struct {
	file    *os.File
	path    string
	columns []string
	at      Position
	text    []byte // text of the whole file; a checkpoint stores it, so that a lost file can be written again
}

// NewMetrics creates the file at path with a header of the given columns. The file must not exist.
func NewMetrics(path string, columns ...string) (*Metrics, error) {
	if err := checkColumns(columns); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	m := &Metrics{file: f, path: path, columns: columns}
	if err := m.append(strings.Join(columns, ",") + "\n"); err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

func checkColumns(columns []string) error {
	if n := len(columns); n > 0 && strings.HasSuffix(columns[n-1], "\r") {
		return errors.New("its lines end in CR LF, as another program wrote them")
	}
	seen := map[string]bool{}
	for _, c := range columns {
		if c == "" || seen[c] || strings.ContainsAny(c, ",\"\r\n") {
			return fmt.Errorf("metrics: column name %q is empty, used twice or has a comma, a quote or a line end", c)
		}
		seen[c] = true
	}
	if len(columns) == 0 {
		return errors.New("metrics: no columns")
	}
	return nil
}

// ResumeMetrics opens the file at path and takes it back to an earlier position: rows written after it are removed. The
// columns must be those of the file's header.
func ResumeMetrics(path string, at Position, columns ...string) (*Metrics, error) {
	f, err := plainfile.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	text, err := takeBack(f, at, columns)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("metrics: %s: %w", path, err)
	}
	return &Metrics{file: f, path: path, columns: columns, at: at, text: text}, nil
}

// RestoreMetrics does what ResumeMetrics does, for a file whose text up to the position is known. If the file is
// missing or its text differs, it is written again and lost says so. If there is something else than a file at path,
// that is an error.
func RestoreMetrics(path string, at Position, text []byte, columns ...string) (m *Metrics, lost, err error) {
	if int64(len(text)) != at.Bytes {
		return nil, nil, fmt.Errorf("metrics: %s: a text of %d bytes; expected %d", path, len(text), at.Bytes)
	}
	m, lost = ResumeMetrics(path, at, columns...)
	if lost == nil {
		if bytes.Equal(m.text, text) {
			return m, nil, nil
		}
		lost = errors.Join(fmt.Errorf("metrics: %s: the file was changed", path), m.Close())
	}
	if err := plainfile.Check(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("metrics: %w", err)
	}
	if err := atomicfile.WriteBytes(path, text); err != nil {
		return nil, nil, fmt.Errorf("metrics: %w", err)
	}
	m, err = ResumeMetrics(path, at, columns...)
	return m, lost, err
}

// takeBack takes f back to a position and returns the text that f keeps.
func takeBack(f *os.File, at Position, columns []string) ([]byte, error) {
	var text []byte
	header, rows := "", 0
	in := bufio.NewReader(io.LimitReader(f, at.Bytes))
	for read := int64(0); read < at.Bytes; {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("the checkpoint was written at byte %d and row %d, but the file is shorter or was "+
				"changed", at.Bytes, at.Rows)
		}
		if read == 0 {
			header = strings.TrimSuffix(line, "\n")
		} else {
			rows++
		}
		read += int64(len(line))
		text = append(text, line...)
	}
	if want := strings.Join(columns, ","); header != want {
		return nil, fmt.Errorf("columns are %q; expected %q", header, want)
	}
	if rows != at.Rows {
		return nil, fmt.Errorf("%d rows before byte %d; the checkpoint says %d: the file was changed", rows,
			at.Bytes, at.Rows)
	}
	if err := f.Truncate(at.Bytes); err != nil {
		return nil, err
	}
	_, err := f.Seek(at.Bytes, io.SeekStart)
	return text, err
}

// Write appends a row. The row is in the file when Write returns.
func (m *Metrics) Write(row Row) error {
	cells := make([]string, len(m.columns))
	found := 0
	for i, c := range m.columns {
		if v, ok := row[c]; ok {
			cells[i] = formatFloat(v)
			found++
		}
	}
	if found < len(row) {
		return m.unknownColumn(row)
	}
	if err := m.append(strings.Join(cells, ",") + "\n"); err != nil {
		return err
	}
	m.at.Rows++
	return nil
}

func (m *Metrics) unknownColumn(row Row) error {
	known := map[string]bool{}
	for _, c := range m.columns {
		known[c] = true
	}
	unknown := ""
	for c := range row {
		if !known[c] && (unknown == "" || c < unknown) {
			unknown = c
		}
	}
	return fmt.Errorf("metrics: unknown column %q%s", unknown, nearest.Hint(unknown, m.columns))
}

// append writes one line. If that fails half-way (a full disk), the part is removed. So the file stays readable and its
// position correct.
func (m *Metrics) append(line string) error {
	n, err := m.file.WriteString(line)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, m.file.Truncate(m.at.Bytes))
			_, seekErr := m.file.Seek(m.at.Bytes, io.SeekStart)
			err = errors.Join(err, seekErr)
		}
		return fmt.Errorf("metrics: %w", err)
	}
	m.at.Bytes += int64(n)
	m.text = append(m.text, line...)
	return nil
}

// Position returns the place of the next row. Call Sync before storing it in a checkpoint.
func (m *Metrics) Position() Position { return m.at }

// Text returns the whole text of the file, with all rows written so far.
func (m *Metrics) Text() []byte { return m.text }

// Renew writes the file again if somebody has removed, replaced or cut it since the last row was written. It reports
// whether it did.
func (m *Metrics) Renew() (renewed bool, err error) {
	mine, err := m.file.Stat()
	if err != nil {
		return false, fmt.Errorf("metrics: %w", err)
	}
	there, err := os.Stat(m.path)
	if err == nil && os.SameFile(mine, there) && there.Size() == m.at.Bytes {
		return false, nil
	}
	if err == nil && !there.Mode().IsRegular() {
		return false, fmt.Errorf("metrics: %w", plainfile.Check(m.path))
	}
	if err := atomicfile.WriteBytes(m.path, m.text); err != nil {
		return false, fmt.Errorf("metrics: %w", err)
	}
	again, err := ResumeMetrics(m.path, m.at, m.columns...)
	if err != nil {
		return false, err
	}
	m.file.Close() // the file it named is gone
	m.file = again.file
	return true, nil
}

// Sync writes all rows to disk, so that a checkpoint never points behind the end of the file.
func (m *Metrics) Sync() error {
	if err := m.file.Sync(); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// Close closes the file.
func (m *Metrics) Close() error {
	if err := m.file.Close(); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// formatFloat is the shortest text that ParseFloat reads back to v.
func formatFloat(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Series is a metrics file after reading.
type Series struct {
	Columns []string
	Rows    [][]float64 // NaN for an empty cell
	Odd     []Odd       // the cells that are NaN or infinite in the file, row by row
	lines   []int       // the rows' lines in the file; nil if none was left out
	half    int         // line without a line end, which is left out; 0 if there is none
}

// ReadMetrics reads a metrics file, also one that is still being written: a last line without its line end is left out.
func ReadMetrics(path string) (Series, error) {
	data, err := plainfile.Read(path, maxText)
	if err != nil {
		return Series{}, fmt.Errorf("metrics: %w", err)
	}
	return parseMetrics(path, data)
}

func parseMetrics(path string, data []byte) (_ Series, err error) {
	if len(data) == 0 {
		return Series{}, fmt.Errorf("metrics: %s has no header: it is empty", path)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	lines := strings.Split(strings.TrimSuffix(string(whole), "\n"), "\n")
	s := Series{Columns: strings.Split(lines[0], ",")}
	if len(whole) < len(data) {
		s.half = len(lines) + 1
	}
	if err := checkColumns(s.Columns); err != nil {
		return Series{}, fmt.Errorf("metrics: %s has no header: %w", path, err)
	}
	s.Rows, s.Odd, err = parseRows(path, s.Columns, 0, lines[1:])
	return s, err
}

// parseRows reads lines; before is the number of rows that come before them in the file.
func parseRows(path string, columns []string, before int, lines []string) (rows [][]float64, odd []Odd, err error) {
	for i, line := range lines {
		cells := strings.Split(line, ",")
		if len(cells) != len(columns) {
			return nil, nil, fmt.Errorf("metrics: %s:%d: %d cells; expected %d", path, before+i+2, len(cells),
				len(columns))
		}
		row := make([]float64, len(cells))
		for j, cell := range cells {
			row[j] = math.NaN()
			if cell == "" {
				continue
			}
			if row[j], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, nil, fmt.Errorf("metrics: %s:%d: %s = %q: expected a number", path, before+i+2, columns[j],
					cell)
			}
			if math.IsNaN(row[j]) || math.IsInf(row[j], 0) {
				odd = append(odd, Odd{i, j, row[j]})
			}
		}
		rows = append(rows, row)
	}
	return rows, odd, nil
}

// Column returns a column by name.
func (s Series) Column(name string) ([]float64, error) {
	for j, c := range s.Columns {
		if c == name {
			out := make([]float64, len(s.Rows))
			for i, row := range s.Rows {
				out[i] = row[j]
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("metrics: unknown column %q%s", name, nearest.Hint(name, s.Columns))
}
