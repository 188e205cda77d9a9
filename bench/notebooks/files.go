package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// group holds the notebooks of one folder, by their names below the folder that is given, with slashes.
type group struct {
	name      string
	notebooks []string
}

// find lists the notebooks below a folder, by the folders in it.
func find(dir string) (groups []group, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".ipynb" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		first, _, below := strings.Cut(name, "/")
		if !below {
			first = "."
		}
		if len(groups) == 0 || groups[len(groups)-1].name != first {
			groups = append(groups, group{name: first})
		}
		g := &groups[len(groups)-1]
		g.notebooks = append(g.notebooks, name)
		return nil
	})
	if err == nil && len(groups) == 0 {
		err = fmt.Errorf("%s: no notebooks: expected files named *.ipynb", dir)
	}
	return groups, err
}

// copyFile copies a notebook to a folder, under its name.
func copyFile(from, to, name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	target := filepath.Join(to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return nil, err
	}
	return data, os.WriteFile(target, data, 0o644)
}

// decoded is a text of JSON with its numbers as they are written.
func decoded(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.UseNumber()
	return v, d.Decode(&v)
}

// canonical reports whether a file is what Python's nbformat writes: keys in order, indented by one, texts not escaped.
func canonical(data []byte) bool {
	v, err := decoded(data)
	if err != nil {
		return false
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if encoder.Encode(v) != nil {
		return false
	}
	// Go alone escapes these two.
	text := strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(b.String())
	return text == string(data)
}

// sameJSON reports whether two files hold the same values. Lines of texts may be in a list or in one string.
func sameJSON(a, b []byte) bool {
	x, err := decoded(a)
	y, err2 := decoded(b)
	return err == nil && err2 == nil && reflect.DeepEqual(joined(x), joined(y))
}

// joined has lists of strings as one string.
func joined(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = joined(v[k])
		}
	case []any:
		var text strings.Builder
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				for i := range v {
					v[i] = joined(v[i])
				}
				return v
			}
			text.WriteString(s)
		}
		return text.String()
	}
	return v
}
