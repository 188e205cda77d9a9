// Package pictured says of which cells a picture of a notebook is, so that a picture that is older than its notebook is
// found. web/screenshots writes the list beside the pictures, the tests of internal/docs read it.
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

// Picture is a picture's notebook, by its path in the repository, the cells that it shows and the hash of their text.
type Picture struct {
	Notebook string   `json:"notebook"`
	Cells    []string `json:"cells"`
	SHA256   string   `json:"sha256"`
}

// Hash is the SHA-256 of the sources of a notebook's cells with these ids. A cell that is not there is an error.
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

// Read reads the list in a folder of pictures, by the pictures' file names.
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

// Check returns why a picture is not of the notebook in a checkout, nil where it is.
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
