package plainfile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/plainfile"
	"nacre/internal/plainfile/plainfiletest"
)

func archive(t *testing.T, name string, pairs ...string) string {
	t.Helper()
	return plainfiletest.Archive(t, filepath.Join(t.TempDir(), name), pairs...)
}

func TestArchive(t *testing.T) {
	two := archive(t, "two.ZIP", "a/x", "one", "b/c/x", "two")
	inner := archive(t, "inner.zip", "run/", "", "run/x", "one", "run/w/y", "two", "__MACOSX/run/._x", "?",
		".DS_Store", "?")
	for path, want := range map[string]string{
		two + "/a/x": "one", two + "/b/c/x": "two", two + "/b/../a/x": "one",
		inner + "/run/x": "one", inner + "/x": "one", inner + "/w/y": "two", inner + "/run/w/y": "two",
	} {
		path = filepath.FromSlash(path)
		text, err := plainfile.Read(path, 100)
		if err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if info, err := plainfile.Stat(path); err != nil || info.IsDir() || info.Size() != 3 ||
			info.Name() != filepath.Base(path) {
			t.Errorf("%s: %+v, %v", path, info, err)
		}
	}
	for path, want := range map[string]string{two: "a b", filepath.Join(two, "b"): "c", inner: "w x",
		filepath.Join(inner, "run"): "w x"} {
		entries, err := plainfile.ReadDir(path)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v", path, names, err)
		}
		if info, err := plainfile.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("%s is no folder: %v", path, err)
		}
	}
	if _, err := plainfile.Read(filepath.Join(two, "a", "none"), 100); !errors.Is(err, fs.ErrNotExist) ||
		!os.IsNotExist(err) || !strings.Contains(err.Error(), two) {
		t.Error(err)
	}
	if _, err := plainfile.Read(filepath.Join(two, "a", "x"), 2); err == nil ||
		!strings.Contains(err.Error(), "3 bytes; expected at most 2") {
		t.Error(err)
	}
	f, err := plainfile.Open(filepath.Join(two, "a", "x"))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 2)
	if _, err := f.ReadAt(b, 1); err != nil || string(b) != "ne" {
		t.Errorf("%s, %v", b, err)
	}
}

// A folder whose name ends in .zip is a folder, and a path may end in .zip without being there.
func TestNamedLikeArchive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.zip")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "x"), []byte("one"),
		0o644)); err != nil {
		t.Fatal(err)
	}
	if text, err := plainfile.Read(filepath.Join(dir, "x"), 10); err != nil || string(text) != "one" ||
		plainfile.Writable(dir) != nil {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := plainfile.Stat(dir + ".zip"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A new archive in the place of another is read anew.
func TestReplacedArchive(t *testing.T) {
	file := archive(t, "a.zip", "x", "one")
	for _, want := range []string{"one", "three"} {
		data, err := os.ReadFile(archive(t, "a.zip", "x", want))
		if err == nil {
			err = os.WriteFile(file, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, err := plainfile.Read(filepath.Join(file, "x"), 10); err != nil || string(text) != want {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// Every archive that cannot be read as it should is one sentence with its name.
func TestBadArchives(t *testing.T) {
	good, err := os.ReadFile(archive(t, "good.zip", "config.toml", strings.Repeat("text ", 100), "b", "two"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(offset int, b byte) []byte { c := bytes.Clone(good); c[offset] = b; return c }
	data := bytes.Index(good, []byte("config.toml")) + len("config.toml")
	central := bytes.LastIndex(good, []byte("PK\x01\x02"))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut in the middle":   {good[:len(good)/2], "is cut off or damaged"},
		"cut by one byte":     {good[:len(good)-1], "is cut off or damaged"},
		"cut to the start":    {good[:40], "is cut off or damaged"},
		"empty":               {nil, "is not a .zip file"},
		"of another kind":     {[]byte("<html>404 not found</html>"), "is not a .zip file"},
		"a changed byte":      {at(data+3, good[data+3]^0x55), "is damaged in its archive"},
		"a broken list":       {at(central, 'X'), "is cut off or damaged"},
		"climbing out":        {zipped(t, "../../etc/config.toml"), "a name that leads out of the archive"},
		"an absolute name":    {zipped(t, "/etc/config.toml"), "a name that leads out of the archive"},
		"climbing in between": {zipped(t, "a/../../config.toml"), "a name that leads out of the archive"},
		"climbing as Windows": {zipped(t, `..\..\config.toml`), "a name that leads out of the archive"},
		"encrypted":           {encrypted(good), "is encrypted"},
		"twice in it":         {zipped(t, "config.toml", "config.toml"), `holds "config.toml" twice`},
	} {
		file := filepath.Join(t.TempDir(), "a.zip")
		if err := os.WriteFile(file, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := plainfile.Read(filepath.Join(file, "config.toml"), 1<<20)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func zipped(t *testing.T, names ...string) []byte {
	t.Helper()
	var pairs []string
	for _, n := range names {
		pairs = append(pairs, n, "text")
	}
	data, err := os.ReadFile(archive(t, "a.zip", pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// encrypted sets the flag of a password on all files of an archive.
func encrypted(data []byte) []byte {
	data = bytes.Clone(data)
	for i := range len(data) - 4 {
		switch string(data[i : i+4]) {
		case "PK\x03\x04":
			data[i+6] |= 1
		case "PK\x01\x02":
			data[i+8] |= 1
		}
	}
	return data
}

// Nothing writes into an archive.
func TestReadOnly(t *testing.T) {
	file := archive(t, "a.zip", "x", "one")
	for _, path := range []string{file, filepath.Join(file, "x"), filepath.Join(file, "new"),
		filepath.Join(file, "a", "new")} {
		_, err := plainfile.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil || !strings.Contains(err.Error(), "is an archive, which is only read: unpack it with") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzArchive(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("a/x")
	io.WriteString(w, "text")
	z.Close()
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte{})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, "a.zip")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		entries, err := plainfile.ReadDir(file)
		if err != nil {
			return
		}
		for _, e := range entries {
			_, _ = plainfile.Read(filepath.Join(file, e.Name()), 1<<20)
		}
	})
}
