package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
)

// NoteFile is the file in a run folder that holds its note.
const NoteFile = "note.json"

// Note is a person's note about a run: text and tags.
type Note struct {
	Text string   `json:"text"`
	Tags []string `json:"tags"` // sorted, each once
	// Revision counts changes. A change names the revision that its writer has read.
	Revision int    `json:"revision"`
	Problem  string `json:"problem,omitempty"` // the reason why the file cannot be read
}

// These are the limits of a note.
const (
	MaxNote = 64 << 10 // bytes of text
	MaxTag  = 40       // bytes of a tag
	MaxTags = 32
)

// ErrConflict is returned, with the note as it is now, if somebody else has changed the note.
var ErrConflict = errors.New("somebody else has changed the note")

// notes lets one change be made at a time.
var notes sync.Mutex

// ReadNote reads the note of a run folder; there may be none.
func ReadNote(dir string) (Note, error) {
	data, err := plainfile.Read(filepath.Join(dir, NoteFile), 4*MaxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return Note{Tags: []string{}}, nil
	}
	var n Note
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		err = d.Decode(&n)
	}
	if err == nil {
		err = n.check()
	}
	if err != nil {
		return Note{Tags: []string{}}, fmt.Errorf("%s: %w", NoteFile, err)
	}
	if n.Tags == nil {
		n.Tags = []string{}
	}
	n.Problem = ""
	return n, nil
}

func (n Note) check() error {
	if len(n.Text) > MaxNote || !utf8.ValidString(n.Text) {
		return fmt.Errorf("a note of %d bytes; expected at most %d of UTF-8", len(n.Text), MaxNote)
	}
	if len(n.Tags) > MaxTags {
		return fmt.Errorf("%d tags; expected at most %d", len(n.Tags), MaxTags)
	}
	for _, t := range n.Tags {
		if t == "" || len(t) > MaxTag || !utf8.ValidString(t) || strings.ContainsAny(t, ",\r\n\t") ||
			strings.TrimSpace(t) != t {
			return fmt.Errorf("tag %s; expected 1 to %d bytes without commas and line ends", short(t), MaxTag)
		}
	}
	return nil
}

// WriteNote changes the note of a run folder. n.Revision must be the revision that the writer has read. WriteNote
// returns the note as it is now. If somebody else has changed it, the error is ErrConflict and nothing is written.
func WriteNote(dir string, n Note) (Note, error) {
	n.Tags = slices.Compact(slices.Sorted(slices.Values(n.Tags)))
	if err := n.check(); err != nil {
		return n, err
	}
	notes.Lock()
	defer notes.Unlock()
	now, err := ReadNote(dir)
	if err != nil {
		return now, err
	}
	if now.Revision != n.Revision {
		return now, ErrConflict
	}
	if now.Text == n.Text && slices.Equal(now.Tags, n.Tags) {
		return now, nil
	}
	if err := plainfile.Writable(dir); err != nil {
		return now, err
	}
	if _, err := os.Lstat(dir); err != nil {
		return now, err
	}
	n.Revision, n.Problem = n.Revision+1, ""
	if n.Tags == nil {
		n.Tags = []string{}
	}
	return n, atomicfile.Write(filepath.Join(dir, NoteFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(n)
	})
}
