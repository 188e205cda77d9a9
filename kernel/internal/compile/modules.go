package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/gcexportdata"
)

// A package that the program lacks is compiled for the session. It belongs to the standard library, to a module in the
// go.mod of the kernel's folder, or to a module in the module cache. Modules of the program keep their versions,
// because plugins share their packages. A loaded package stays: another version of it needs another kernel.

// reading lets only one session at a time complete packages, because sessions may share them.
var reading sync.Mutex

// Import returns a package with its types, which refer to the types of the packages in known. It adds the package to
// known.
func (b *Builder) Import(ctx context.Context, path string, known map[string]*types.Package) (*types.Package, error) {
	if b.packages[path] == "" {
		if err := b.find(ctx, path); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(b.packages[path])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 what the go command keeps are archives, which Read alone does not read
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	reading.Lock()
	defer reading.Unlock()
	return gcexportdata.Read(r, token.NewFileSet(), known, path)
}

// find compiles a package and its imports.
func (b *Builder) find(ctx context.Context, path string) error {
	first, _, _ := strings.Cut(path, "/")
	if err := module.CheckImportPath(path); err != nil || !strings.Contains(first, ".") && !b.own(ctx, path) {
		if err := b.need(ctx, []string{path}); err != nil {
			return errors.New("is not one this notebook can import")
		}
		return nil
	}
	file, offline, err := b.modules(ctx, path)
	if err != nil {
		return err
	}
	env := b.env
	if offline {
		env = append(slices.Clone(env), "GOPROXY=off", "GOSUMDB=off")
	}
	out, err := b.goIn(ctx, b.source, env, append(b.list(), "-mod=mod", "-modfile="+file, path)...)
	if err != nil {
		return fmt.Errorf("cannot be compiled: %w", err)
	}
	return b.note(out)
}

// note adds the archives that the go command lists. If a package is already known with another archive, it has a
// version that this kernel can no longer load.
func (b *Builder) note(out []byte) error {
	add := map[string]string{}
	for line := range strings.Lines(string(out)) {
		p, file, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		if old := b.packages[p]; old != "" && old != file {
			return fmt.Errorf("needs %s in another version than this kernel has; restart the kernel", p)
		}
		add[p] = file
	}
	for p, file := range add {
		b.packages[p] = file
	}
	return nil
}

// folderModule returns the go.mod of the folder in which the kernel runs, and its path. It returns nil if there is
// none.
func (b *Builder) folderModule(ctx context.Context) (*modfile.File, string, error) {
	out, err := b.goIn(ctx, "", b.env, "env", "GOMOD")
	if err != nil {
		return nil, "", err
	}
	name := strings.TrimSpace(string(out))
	if name == "" || name == os.DevNull {
		return nil, "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, "", err
	}
	f, err := modfile.Parse(name, data, nil)
	return f, filepath.Dir(name), err
}

// own reports whether a path belongs to the module of the kernel's folder.
func (b *Builder) own(ctx context.Context, path string) bool {
	f, _, err := b.folderModule(ctx)
	return err == nil && f != nil && f.Module != nil && within(path, f.Module.Mod.Path)
}

func within(path, module string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// modules writes a go.mod and a go.sum with the modules of the program and those of the notebook. One of these has the
// package. With offline, it uses the existing files as they are.
func (b *Builder) modules(ctx context.Context, path string) (file string, offline bool, err error) {
	data, err := os.ReadFile(filepath.Join(b.source, "go.mod"))
	if err != nil {
		return "", false, err
	}
	all, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return "", false, err
	}
	sums, err := os.ReadFile(filepath.Join(b.source, "go.sum"))
	if err != nil {
		return "", false, err
	}
	fixed, has := map[string]bool{all.Module.Mod.Path: true}, false
	for _, r := range slices.Clone(all.Require) {
		fixed[r.Mod.Path] = true
		has = has || within(path, r.Mod.Path)
		if err := all.AddReplace(r.Mod.Path, "", r.Mod.Path, r.Mod.Version); err != nil {
			return "", false, err
		}
	}
	require := func(name, version string) {
		if !fixed[name] {
			has = has || within(path, name)
			err = errors.Join(err, all.AddRequire(name, version))
		}
	}
	for name, version := range b.extra {
		require(name, version)
	}
	notebook, folder, e := b.folderModule(ctx)
	if e != nil {
		return "", false, e
	}
	if notebook != nil && notebook.Module != nil {
		for _, r := range notebook.Require {
			require(r.Mod.Path, r.Mod.Version)
		}
		if more, e := os.ReadFile(filepath.Join(folder, "go.sum")); e == nil {
			sums = append(append(sums, '\n'), more...)
		}
		replace := func(old, oldVersion, to, version string) {
			if !fixed[old] {
				err = errors.Join(err, all.AddReplace(old, oldVersion, to, version))
			}
		}
		for _, r := range notebook.Replace {
			to := r.New.Path
			if modfile.IsDirectoryPath(to) && !filepath.IsAbs(to) {
				to = filepath.Join(folder, to)
			}
			replace(r.Old.Path, r.Old.Version, to, r.New.Version)
		}
		if own := notebook.Module.Mod.Path; within(path, own) {
			require(own, "v0.0.0")
			replace(own, "", folder, "")
		}
	}
	if err != nil {
		return "", false, err
	}
	if !has {
		m, ok := b.cached(ctx, path)
		if !ok {
			return "", false, fmt.Errorf("is in no module that go.mod beside the notebook or the module cache has; "+
				"%%get %s gets it", path)
		}
		offline = true
		require(m.Path, m.Version)
		if b.extra == nil {
			b.extra = map[string]string{}
		}
		b.extra[m.Path] = m.Version
	}
	text, err := all.Format()
	if err != nil {
		return "", false, err
	}
	file = filepath.Join(b.folder, "go.mod")
	return file, offline, errors.Join(os.WriteFile(file, text, 0o600),
		os.WriteFile(filepath.Join(b.folder, "go.sum"), bytes.TrimLeft(sums, "\n"), 0o600))
}

// cached returns the module of a package in the module cache, in the latest version there.
func (b *Builder) cached(ctx context.Context, path string) (found module.Version, ok bool) {
	out, err := b.goIn(ctx, "", b.env, "env", "GOMODCACHE")
	if err != nil {
		return found, false
	}
	for name := path; name != "."; name = filepath.ToSlash(filepath.Dir(name)) {
		escaped, err := module.EscapePath(name)
		if err != nil {
			continue
		}
		zips, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "cache", "download", escaped,
			"@v", "*.zip"))
		for _, z := range zips {
			v, err := module.UnescapeVersion(strings.TrimSuffix(filepath.Base(z), ".zip"))
			if err == nil && (found.Version == "" || better(v, found.Version)) {
				found = module.Version{Path: name, Version: v}
			}
		}
		if found.Version != "" {
			return found, true
		}
	}
	return found, false
}

// better reports whether version a is preferred to b. Releases are preferred to other versions.
func better(a, b string) bool {
	if ra, rb := semver.Prerelease(a) == "", semver.Prerelease(b) == ""; ra != rb {
		return ra
	}
	return semver.Compare(a, b) > 0
}

// Get adds a module to the go.mod of the kernel's folder; query names the module as for the go command. If there is no
// go.mod, Get makes one. It says what it did.
func (b *Builder) Get(ctx context.Context, query string) (said string, err error) {
	if strings.HasPrefix(query, "-") || strings.ContainsAny(query, " \t") || query == "" {
		return "", fmt.Errorf("%%get %s: expected a module, such as %%get github.com/google/uuid@v1.6.0", query)
	}
	f, _, err := b.folderModule(ctx)
	if err != nil {
		return "", err
	}
	if f == nil {
		if _, err := b.goIn(ctx, "", b.env, "mod", "init", "notebook"); err != nil {
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, "go", "get", query)
	cmd.Env = b.env
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return "", errors.New("there is no go command in PATH")
	case err != nil:
		return "", fmt.Errorf("%%get %s: %s", query, bytes.TrimSpace(out))
	}
	return string(out), nil
}
