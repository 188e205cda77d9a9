package tfevents

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nacre/internal/plainfile"
)

// maxRecord bounds the message of a record, in bytes; a row of metrics is a few thousand.
const maxRecord = 1 << 24

// Files lists the event files in dir, in the order in which TensorBoard reads them.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // not a pattern, in which a folder's name may mean something
	if err != nil {
		return nil, fmt.Errorf("tfevents: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, nil
}

// Check reads the event file at path and returns how many whole records it has. The result whole is false if the file
// ends inside a record, as the file of a killed program may. A record whose checksum differs is an error.
func Check(path string) (records int, whole bool, err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return 0, false, fmt.Errorf("tfevents: %w", err)
	}
	defer f.Close()
	if records, whole, err = check(bufio.NewReader(f)); err != nil {
		return records, whole, fmt.Errorf("tfevents: %s: record %d: %w", path, records+1, err)
	}
	return records, whole, nil
}

func check(in io.Reader) (records int, whole bool, err error) {
	for ; ; records++ {
		switch _, err := record(in); {
		case err == io.EOF:
			return records, true, nil
		case err == io.ErrUnexpectedEOF:
			return records, false, nil
		case err != nil:
			return records, false, err
		}
	}
}
