package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nacre/internal/home"
	"nacre/internal/metaworld2020"
)

// MetaWorld2020 puts the scenes of Meta-World of 2020 into the cache, from a folder or archive of the public
// repository. Textures and meshes that are missing there are taken from the wheel of Meta-World, which is a Part. Every
// file is checked against the git blob id in package metaworld2020. If one does not match, nothing is stored and the
// error names the first such file.
func MetaWorld2020(ctx context.Context, from string, wheel Part, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	place := filepath.Join(o.Dir, home.MetaWorld2020)
	switch err := metaworld2020.Verify(place); {
	case err == nil:
		o.Say("Meta-World of 2020 is in " + place)
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		o.Say(fmt.Sprintf("Meta-World of 2020 in %s is not whole (%v): it is put there anew", place, err))
	}
	files, lacking, err := take(from)
	if err == nil && len(lacking) > 0 {
		err = o.fromWheel(ctx, files, lacking, wheel)
	}
	if err != nil {
		return fmt.Errorf("Meta-World of 2020 was not put into the cache: %w", err)
	}
	if err := o.lay(ctx, files, place); err != nil {
		return err
	}
	o.Say(fmt.Sprintf("Meta-World of 2020 is in %s: %d files of %s, %d of %s, all with the git blob ids of commit %s",
		place, len(files)-len(lacking), from, len(lacking), wheel, metaworld2020.Commit[:7]))
	return nil
}

// take reads the files from a folder or an archive. lacking names the missing ones that a wheel may have.
func take(from string) (files map[string][]byte, lacking []metaworld2020.File, err error) {
	source, err := openSource(from)
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{}
	for _, f := range metaworld2020.Files() {
		data, err := source.read(f.Name)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s, expected the file of git blob id %s", f.Name, f.ID)
		} else if err == nil {
			err = f.Check(data)
		}
		switch {
		case err == nil:
			files[f.Name] = data
		case inWheel(f.Name) != "":
			lacking = append(lacking, f)
		default:
			return nil, nil, fmt.Errorf("%s is not used: %w", from, err)
		}
	}
	return files, lacking, nil
}

// fromWheel adds files from the wheel, which is fetched if it is missing.
func (o Options) fromWheel(ctx context.Context, files map[string][]byte, lacking []metaworld2020.File,
	wheel Part) error {
	if err := Get(ctx, []Part{wheel}, o); err != nil {
		return err
	}
	folder := filepath.Join(o.Dir, wheel.Folder)
	if wheel.Complete(o.Dir) != nil { // Get has found it in the chosen Python
		folder, _ = home.InPython(wheel.python, wheel.Version)
	}
	for _, f := range lacking {
		data, err := os.ReadFile(filepath.Join(folder, inWheel(f.Name)))
		if err == nil {
			err = f.Check(data)
		}
		if err != nil {
			return fmt.Errorf("%s in %s is not used for %s: %w", wheel, folder, f.Name, err)
		}
		files[f.Name] = data
	}
	return nil
}

// lay puts the files into their place, either all or none.
func (o Options) lay(ctx context.Context, files map[string][]byte, place string) error {
	release, err := o.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	work, err := os.MkdirTemp(o.Dir, ".new-")
	if err != nil {
		return unwritable(o.Dir, err)
	}
	defer os.RemoveAll(work)
	fresh := filepath.Join(work, "part")
	for name, data := range files {
		to := filepath.Join(fresh, filepath.FromSlash(name))
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			return unwritable(o.Dir, err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return o.replace(place, fresh, work)
}

// inWheel is the place of a file in release 3.1.1, from its part's folder or package; "" if the release does not have
// it.
func inWheel(name string) string {
	switch dir, base := path.Split(name); {
	case dir == "meshes/sawyer/" && base != "pedestal.stl":
		return filepath.Join("assets", "objects", "meshes", "xyz_base", base)
	case dir == "textures/":
		return filepath.Join("assets", "textures", base)
	}
	return ""
}

// sceneSource reads files by their names from the folder of the scenes.
type sceneSource struct {
	files fs.FS
	root  string
}

func (s sceneSource) read(name string) ([]byte, error) {
	return fs.ReadFile(s.files, path.Join(s.root, name))
}

// openSource opens a folder or an archive and finds the scenes' folder in it.
func openSource(from string) (sceneSource, error) {
	files, err := sourceFiles(from)
	if err != nil {
		return sceneSource{}, err
	}
	const model = "sawyer_xyz/shared_config.xml"
	var roots []string
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if name == model || strings.HasSuffix(name, "/"+model) {
			roots = append(roots, strings.TrimSuffix(strings.TrimSuffix(name, model), "/"))
		}
		return nil
	})
	if err != nil {
		return sceneSource{}, fmt.Errorf("%s cannot be read: %w", from, err)
	}
	if len(roots) == 0 {
		return sceneSource{}, fmt.Errorf("%s holds no %s/%s; expected a checkout or archive of %s at commit %s, or "+
			"its folder assets_v1",
			from, metaworld2020.Folder, model, metaworld2020.Repository, metaworld2020.Commit)
	}
	// a checkout has the scenes of v2 beside those of v1; before July 2020 these are in assets
	rank := func(root string) int {
		return slices.Index([]string{"assets_v2", "assets", "assets_v1"}, path.Base(root))
	}
	root := slices.MaxFunc(roots, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return sceneSource{files, cmp.Or(root, ".")}, nil
}

// sourceFiles returns the files of a folder or an archive.
func sourceFiles(from string) (fs.FS, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, fmt.Errorf("there are no scenes to take: %w", err)
	}
	if info.IsDir() {
		return os.DirFS(from), nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return nil, err
	}
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		return z, nil
	}
	var stream io.Reader = bytes.NewReader(data)
	if g, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		stream = g
	}
	files, err := untar(stream)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read as zip, tar or tar.gz (%w): unpack it and name the folder", from, err)
	}
	return files, nil
}

// untar makes a zip of a tar's files, which is a file system.
func untar(stream io.Reader) (fs.FS, error) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for t := tar.NewReader(stream); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: path.Clean(h.Name), Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, t); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
}
