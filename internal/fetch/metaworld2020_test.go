package fetch

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/internal/home"
	"nacre/internal/metaworld2020"
)

// scenes2020 is a folder with the real files, or t is skipped.
func scenes2020(t *testing.T) string {
	t.Helper()
	var places []string
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, filepath.Join(cache, "nacre", home.MetaWorld2020))
	}
	for _, place := range append(places, os.Getenv("NACRE_METAWORLD_V1")) {
		if metaworld2020.Verify(place) == nil {
			return place
		}
	}
	t.Skip("the scenes of Meta-World of 2020 are not here: run nacre setup --metaworld-v1, or set NACRE_METAWORLD_V1 " +
		"to the folder assets_v1")
	return ""
}

// checkout copies the files to where a checkout has them, but those for which leave is true.
func checkout(t *testing.T, leave func(name string) bool) string {
	t.Helper()
	from, dir := scenes2020(t), t.TempDir()
	for _, f := range metaworld2020.Files() {
		if leave(f.Name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, metaworld2020.Folder, f.Name), data)
	}
	return dir
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func none(string) bool { return false }

// lay2020 lays scenes into an empty cache, beside a wheel part that is there.
func lay2020(t *testing.T, from, cache string) error {
	t.Helper()
	return MetaWorld2020(t.Context(), from, linux(t)[1], Options{Dir: cache, pip: []string{"false"}})
}

func TestMetaWorld2020(t *testing.T) {
	heavy.Skip(t, "it packs and unpacks 19 MB several times")
	dir := checkout(t, none)
	put(t, filepath.Join(dir, "metaworld/envs/assets_v2/sawyer_xyz/shared_config.xml"), []byte("<mujoco/>"))
	archive := filepath.Join(t.TempDir(), "metaworld.tar.gz")
	pack(t, dir, archive)
	zipped := filepath.Join(t.TempDir(), "metaworld.zip")
	f, err := os.Create(zipped)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	if err := z.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, from := range []string{dir, filepath.Join(dir, metaworld2020.Folder), archive, zipped} {
		cache := t.TempDir()
		if err := lay2020(t, from, cache); err != nil {
			t.Fatal(err)
		}
		if err := metaworld2020.Verify(filepath.Join(cache, home.MetaWorld2020)); err != nil {
			t.Errorf("%s: %v", from, err)
		}
		// Half of a file is put right.
		half := filepath.Join(cache, home.MetaWorld2020, "sawyer_xyz", "sawyer_soccer.xml")
		put(t, half, []byte("<mujoco>"))
		if err := lay2020(t, from, cache); err != nil {
			t.Fatal(err)
		}
		if err := metaworld2020.Verify(filepath.Join(cache, home.MetaWorld2020)); err != nil {
			t.Errorf("%s, anew: %v", from, err)
		}
		empty(t, cache, home.MetaWorld2020)
	}
}

func pack(t *testing.T, dir, to string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := gzip.NewWriterLevel(f, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(g)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []io.Closer{w, g} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Meshes and textures that a checkout lacks come from the wheel, where it is the right one.
func TestMetaWorld2020FromWheel(t *testing.T) {
	from := scenes2020(t)
	dir := checkout(t, func(name string) bool { return inWheel(name) != "" })
	cache := t.TempDir()
	if err := lay2020(t, dir, cache); err == nil || !strings.Contains(err.Error(), "metaworld==3.1.1") {
		t.Errorf("without a wheel: %v", err)
	}
	empty(t, cache)
	wheel := linux(t)[1]
	var files strings.Builder
	for _, f := range metaworld2020.Files() {
		if to := inWheel(f.Name); to != "" {
			data, err := os.ReadFile(filepath.Join(from, f.Name))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(cache, wheel.Folder, to), data)
		}
	}
	put(t, filepath.Join(cache, wheel.Folder, list), []byte(files.String()+"0 "+list+"2\n"))
	put(t, filepath.Join(cache, wheel.Folder, list+"2"), nil)
	if err := lay2020(t, dir, cache); err != nil {
		t.Fatal(err)
	}
	if err := metaworld2020.Verify(filepath.Join(cache, home.MetaWorld2020)); err != nil {
		t.Error(err)
	}
	put(t, filepath.Join(cache, wheel.Folder, inWheel("textures/wood.png")), []byte("another release's"))
	if err := os.RemoveAll(filepath.Join(cache, home.MetaWorld2020)); err != nil {
		t.Fatal(err)
	}
	if err := lay2020(t, dir, cache); err == nil ||
		!strings.Contains(err.Error(), "textures/wood.png has the git blob id") {
		t.Errorf("another wheel: %v", err)
	}
	empty(t, cache, wheel.Folder)
}

// Of a checkout that is not the right one nothing is used, and the first file that is wrong is named with its id.
func TestOtherCheckouts(t *testing.T) {
	model := filepath.Join(metaworld2020.Folder, "sawyer_xyz/shared_config.xml")
	var id string
	for _, f := range metaworld2020.Files() {
		if f.Name == "sawyer_xyz/shared_config.xml" {
			id = f.ID
		}
	}
	change := func(edit func(string) string) string {
		dir := checkout(t, none)
		data, err := os.ReadFile(filepath.Join(dir, model))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, model), []byte(edit(string(data))))
		return dir
	}
	for want, from := range map[string]string{
		"expected " + id + ": it was changed": change(func(s string) string {
			return strings.Replace(s, "50", "100", 1)
		}),
		"expected " + id + ": its line endings were": change(func(s string) string {
			return strings.ReplaceAll(s, "\n", "\r\n")
		}),
		"there is no meshes/objects/mug.stl, expected the file of git blob id": checkout(t, func(name string) bool {
			return name == "meshes/objects/mug.stl"
		}),
		"holds no metaworld/envs/assets_v1/sawyer_xyz/shared_config.xml": t.TempDir(),
		"cannot be read as zip, tar or tar.gz": filepath.Join(change(strings.ToUpper),
			model),
		"there are no scenes to take": filepath.Join(t.TempDir(), "missing"),
	} {
		cache := t.TempDir()
		err := lay2020(t, from, cache)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("expected %q: %v", want, err)
		}
		empty(t, cache)
	}
}
