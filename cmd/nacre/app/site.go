package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/experiment/runs"
	"nacre/internal/plainfile"
	"nacre/server/nbformat"
	"nacre/web"
)

// SiteResult says what nacre site wrote.
type SiteResult struct {
	Dir     string `json:"dir"`
	Files   int    `json:"files"`   // number of files that the site offers: notebooks, reports, data
	Bytes   int64  `json:"bytes"`   // bytes of the whole folder
	Program int64  `json:"program"` // bytes of the kernel as a browser fetches it; 0 without one
}

// SiteOptions are the flags of nacre site.
type SiteOptions struct {
	Paths    []string // notebooks, folders of them, runs and studies
	Out      string
	Programs string // folder of the programs for the browser
	NoScenes bool   // leave out the scenes of Meta-World
}

// Site writes a folder of static files: the notebook's page, the kernel for the browser, notebooks and reports.
func Site(ctx context.Context, env *Env, o SiteOptions) error {
	front, built := web.Files()
	if !built {
		return errors.New("the browser page is not built in: run make where the source is, with Node 18 or newer")
	}
	if err := siteFolder(o.Out); err != nil {
		return err
	}
	s := &site{dir: o.Out, now: time.Now().UnixMilli(), about: siteAbout{Files: []siteFile{}, Reports: []string{}}}
	if err := s.page(front); err != nil {
		return err
	}
	if err := s.programs(env, o.Programs); err != nil {
		return err
	}
	if !o.NoScenes {
		if err := s.scenes(env); err != nil {
			return err
		}
	}
	for _, from := range o.Paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.add(ctx, env, from, len(o.Paths) == 1); err != nil {
			return err
		}
	}
	if err := s.listRuns(); err != nil {
		return err
	}
	if err := s.write("_headers", []byte(siteHeaders)); err != nil {
		return err
	}
	about, err := json.MarshalIndent(s.about, "", " ")
	if err != nil {
		return err
	}
	if err := s.write("site.json", about); err != nil {
		return err
	}
	r := SiteResult{Dir: o.Out, Files: len(s.about.Files), Bytes: s.bytes}
	if k := s.about.Kernel; k != nil {
		r.Program = k.Brotli
	}
	return env.Print(r, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d files, %.1f MB; any web server can serve it, e.g. python3 -m http.server -d "+
			"%s\n"+
			"With the headers in %s, which some hosts read by themselves, the t-SNE page uses several cores.\n",
			r.Dir, r.Files, float64(r.Bytes)/1e6, r.Dir, filepath.Join(r.Dir, "_headers"))
		return err
	})
}

// siteHeaders are the headers that isolate the t-SNE page from other sites. Without them browsers do not let a page
// share memory. They are in the form that Netlify and Cloudflare Pages read.
const siteHeaders = `/tsne.html
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
/static/*
  Cross-Origin-Embedder-Policy: require-corp
`

// maxSiteFile is the largest size of a file of an archive, in bytes.
const maxSiteFile = 1 << 30

// siteMark is the file that marks a folder as a site, which may be overwritten.
const siteMark = "site.json"

// siteFolder makes an empty folder. It removes an earlier site, and nothing else.
func siteFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the site's folder: %w", err)
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, siteMark)); err != nil {
			return fmt.Errorf("%s is not empty and no earlier site: name another folder with --out", dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("removing the earlier site: %w", err)
		}
	}
	return os.MkdirAll(dir, 0o755)
}

// site is a site being written.
type site struct {
	dir   string
	bytes int64
	now   int64 // time of new files, as in siteFile
	about siteAbout
	runs  []runs.Source // the folders that have run folders below them
}

// siteAbout is site.json, which the page reads (web/src/site/about.ts).
type siteAbout struct {
	Exec   string       `json:"exec"`
	Wasm   string       `json:"wasm"`
	Kernel *siteProgram `json:"kernel"`
	Scenes *string      `json:"scenes"` // the list of Meta-World's scenes
	Files  []siteFile   `json:"files"`
	// Reports are files too. The page offers them first, and if there is only one it opens that one.
	Reports []string `json:"reports"`
	Runs    int      `json:"runs"` // number of runs on the page of runs
}

// siteProgram is a program in the manifest that wasm/build.sh writes.
type siteProgram struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	Gzip   int64  `json:"gz"`
	Brotli int64  `json:"br"`
}

// siteFile is a file that the page offers, with its time in milliseconds since 1970.
type siteFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Time int64  `json:"time"`
}

func (s *site) write(name string, data []byte) error {
	target := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	s.bytes += int64(len(data))
	return os.WriteFile(target, data, 0o644)
}

// page writes the front end. Its page for static sites replaces the page that a server answers with.
func (s *site) page(front fs.FS) error {
	return fs.WalkDir(front, ".", func(name string, d fs.DirEntry, err error) error {
		// the site's own page replaces all of these
		if err != nil || d.IsDir() || name == "index.html" || name == "runs.html" || name == "README" {
			return err
		}
		data, err := fs.ReadFile(front, name)
		if err != nil {
			return err
		}
		if name == "site.html" {
			name = "index.html"
		}
		return s.write(name, data)
	})
}

// programs copies the kernel and its companions from the folder that wasm/build.sh wrote. Without this folder the site
// can only be read.
func (s *site) programs(env *Env, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		env.Notice(fmt.Sprintf("the site has no kernel, so its notebooks can be read but not run: %s is not there; "+
			"make site builds it where the source is", dir))
		return nil
	}
	var manifest struct {
		Exec     string                 `json:"exec"`
		Programs map[string]siteProgram `json:"programs"`
	}
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return fmt.Errorf("the browser's programs: %w", err)
	}
	s.about.Wasm = "wasm/"
	s.about.Exec = "wasm/" + manifest.Exec
	if k, ok := manifest.Programs["kernel"]; ok {
		s.about.Kernel = &k
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the browser's programs: %w", err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if err := s.write("wasm/"+e.Name(), data); err != nil {
			return err
		}
	}
	return nil
}

// add puts a notebook or a folder among the site's files: at the top, or under its name.
func (s *site) add(ctx context.Context, env *Env, from string, top bool) error {
	info, err := plainfile.Stat(from)
	if err != nil {
		return fmt.Errorf("%s: expected a folder or a file: %w", from, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return s.file(env, from, filepath.Base(from), info)
	}
	under := ""
	if !top {
		abs, err := filepath.Abs(from)
		if err != nil {
			return err
		}
		under = filepath.Base(abs)
	}
	// links inside a folder are not followed: a site publishes one folder
	if real, err := filepath.EvalSymlinks(from); err == nil {
		from = real
	}
	if err := s.folder(env, from, under); err != nil {
		return err
	}
	if under != "" || !exists(from, experiment.ConfigFile) { // a run given by itself has its own report
		index := runs.Open(from)
		if err := index.Refresh(ctx); err != nil {
			return err
		}
		for _, line := range index.Notes() {
			env.Notice(line)
		}
		s.runs = append(s.runs, runs.Source{Index: index, Under: under})
	}
	return s.report(ctx, env, from, under)
}

// folder copies the content of a folder. An archive with runs becomes a folder of the site, so that the site's pages
// find each file.
func (s *site) folder(env *Env, from, under string) error {
	entries, err := plainfile.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, to := filepath.Join(from, e.Name()), path.Join(under, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		var packed []string
		if e.Type().IsRegular() {
			var problem error
			if packed, problem = experiment.RunsOf(name); problem != nil {
				env.Notice(fmt.Sprintf("%v: copied as it is", problem))
			}
		}
		switch {
		case e.IsDir() || len(packed) > 0:
			err = s.folder(env, name, to)
		case e.Type().IsRegular() && offered(name):
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				err = s.file(env, name, to, info)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listRuns writes what the page of runs shows.
func (s *site) listRuns() (err error) {
	if !slices.ContainsFunc(s.runs, func(r runs.Source) bool { return len(r.Index.Runs()) > 0 }) {
		return nil
	}
	s.about.Runs, err = runs.Export(s.runs, "this site", func(name string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return s.write("runs/"+name, text)
	})
	return err
}

func (s *site) file(env *Env, from, name string, info fs.FileInfo) error {
	read := os.ReadFile
	if _, within, zipped := plainfile.Split(from); zipped && within != "." {
		read = func(name string) ([]byte, error) { return plainfile.Read(name, maxSiteFile) }
	}
	data, err := read(from)
	if err != nil {
		return err
	}
	if path.Ext(name) == ".ipynb" {
		data = env.readable(from, data)
	}
	s.about.Files = append(s.about.Files, siteFile{Path: name, Size: int64(len(data)),
		Time: info.ModTime().UnixMilli()})
	return s.write("files/"+name, data)
}

// readable is a notebook's file as a browser can read it, and says what the readers of a site see in its place or
// otherwise.
func (env *Env) readable(from string, data []byte) []byte {
	nb, err := nbformat.Parse(data)
	if err != nil {
		env.Notice(fmt.Sprintf("%s cannot be opened: readers are told why: %v", from, err))
		return data
	}
	for i, c := range nb.Cells() {
		env.noticeTextOnly(from, i+1, c)
	}
	if problems := nb.Problems(); problems != nil {
		env.Notice(fmt.Sprintf("%s does not follow the notebook format: %s", from, problems[0]))
	}
	old := nb.Major() < nbformat.Major
	if !old && json.Valid(data) {
		return data
	}
	converted, err := nb.MarshalJSON()
	if err != nil {
		return data
	}
	if old {
		env.Notice(fmt.Sprintf("%s has format %d and is published in format %d", from, nb.Major(), nbformat.Major))
	} else {
		env.Notice(fmt.Sprintf("%s has what browsers cannot read, such as NaN or a byte order mark: it is published "+
			"with NaN and Infinity as text", from))
	}
	return converted
}
