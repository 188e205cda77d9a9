package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/nearest"
	"nacre/internal/plainfile"
	"nacre/rl"
	"nacre/rl/config"
)

// Until version db218f0 the setting arithmetic was called device. The configuration also held the tables of all
// algorithms, and a checkpoint stored a hash of them. The functions below read such runs.

var (
	byteOrderMark = []byte("\ufeff") // some editors on Windows begin a file with it

	oldDevice   = regexp.MustCompile(`(?m)^device( *= *['"])(cpu|ref)(['"])`)
	arithmetics = map[string]string{"cpu": rl.Float32, "ref": rl.Float64}
)

// readConfig reads a configuration file and the algorithm that it names. It returns an older file as if it were written
// today, line for line. It also reports whether the file is that of a run. Settings of an algorithm that this program
// does not have give one error that says so.
func readConfig(path string) (text []byte, algorithm string, ofRun bool, err error) {
	if text, err = plainfile.Read(path, maxConfig); err != nil {
		return nil, "", false, fmt.Errorf("configuration: %w", err)
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, "", false, fmt.Errorf("configuration: %s is empty; expected at least an algorithm and a family",
			path)
	}
	if err := config.Bound(path, text); err != nil {
		return nil, "", false, err
	}
	top := len(text) // end of the text before all tables
	if i := bytes.Index(append([]byte("\n"), text...), []byte("\n[")); i >= 0 {
		top = i
	}
	head := oldDevice.ReplaceAllFunc(text[:top], func(line []byte) []byte {
		part := oldDevice.FindSubmatch(line)
		return fmt.Appendf(nil, "arithmetic%s%s%s", part[1], arithmetics[string(part[2])], part[3])
	})
	text = append(head[:len(head):len(head)], text[top:]...)
	var file struct {
		Algorithm string         `toml:"algorithm"`
		Record    map[string]any `toml:"record"`
	}
	if toml.Unmarshal(text, &file) != nil { // the reader of the whole file reports what is wrong with it
		return text, "", false, nil
	}
	if file.Algorithm != "" {
		if names := rl.Names(); !slices.Contains(names, file.Algorithm) {
			own := ""
			if file.Record != nil {
				own = "; if a notebook defined it, run the cells that do, and go on there: lab.Train with lab.Folder"
			}
			return nil, "", false, fmt.Errorf("%s: algorithm %s is not in this program%s%s", path,
				nearest.Quote(file.Algorithm), nearest.Hint(file.Algorithm, names), own)
		}
	}
	return text, file.Algorithm, file.Record != nil, nil
}

// oldHashes returns the hashes of the run's configuration that older programs' checkpoints may hold. The oldest is a
// hash of the whole file. Later ones leave out env_steps and the tables of the algorithms that were added last, if the
// run did not use them.
func oldHashes(path, algorithm string) (list []string, err error) {
	text, err := plainfile.Read(path, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("run folder: %s: %w", path, err)
	}
	delete(tree, recordTable)
	hash := func() error {
		canonical, err := json.Marshal(tree)
		if err != nil {
			return fmt.Errorf("run folder: %s: %w", path, err)
		}
		sum := sha256.Sum256(canonical)
		list = append(list, hex.EncodeToString(sum[:]))
		return nil
	}
	if err := hash(); err != nil {
		return nil, err
	}
	for _, table := range strings.Fields("maml rl2 mql") {
		if table != algorithm {
			delete(tree, table)
		}
	}
	if tree["env_steps"] == int64(0) {
		delete(tree, "env_steps")
	}
	return list, hash()
}
