// Package pictured stores which cells each picture of a notebook shows. So a test can find pictures that are older than
// their notebook. web/screenshots writes the list beside the pictures, and the tests of internal/docs read it.
package pictured

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// File is the list's name below docs/img.
const File = "notebooks.json"

// Picture holds the path of a picture's notebook in the repository, the cells that it shows, and the hash of their
// text.
type Picture struct {
	Notebook string   `json:"notebook"`
	Cells    []string `json:"cells"`
	SHA256   string   `json:"sha256"`
}

// Hash is the SHA-256 of the sources of a notebook's cells with these ids. If a cell does not exist, that is an error.
func Hash(notebook []byte, ids []string) (string, error) {
	var n struct {
		Cells []struct {
			ID     string   `json:"id"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &n); err != nil {
		return "", err
	}
	sources := map[string][]string{}
	for _, c := range n.Cells {
		sources[c.ID] = c.Source
	}
	h := sha256.New()
	for _, id := range ids {
		source, ok := sources[id]
		if !ok {
			return "", fmt.Errorf("it has no cell %q", id)
		}
		fmt.Fprintf(h, "%q %q\n", id, source)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Read reads the list in a folder of pictures. Its keys are the pictures' file names.
func Read(folder string) (map[string]Picture, error) {
	text, err := os.ReadFile(filepath.Join(folder, File))
	if err != nil {
		return nil, err
	}
	var list map[string]Picture
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return list, nil
}

// Write writes the list.
func Write(folder string, list map[string]Picture) error {
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, File), append(text, '\n'), 0o644)
}

// Check returns nil if the picture shows the notebook of this checkout, and otherwise why it does not.
func (p Picture) Check(root string) error {
	text, err := os.ReadFile(filepath.Join(root, p.Notebook))
	if err != nil {
		return err
	}
	hash, err := Hash(text, p.Cells)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Notebook, err)
	}
	if hash != p.SHA256 {
		return fmt.Errorf("cells of %s have changed since: %q", p.Notebook, p.Cells)
	}
	return nil
}
