package runs

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"nacre/experiment/study"
	"nacre/experiment/sweep"
	"nacre/internal/plainfile"
)

// group is a sweep or a study: a folder whose manifest lists runs that may not have begun yet. A folder of runs that
// belong to neither is a group without a manifest.
type group struct {
	path   string
	sweep  bool
	stamp  stamp // of the manifest
	folder *sweep.Folder

	mu    sync.Mutex
	queue map[string]sweep.State // of runs by name, as Slurm says
}

// maxManifest is how large a manifest may be.
const maxManifest = 64 << 20

// group finds the sweep or study that a folder is, nil where it is none. A manifest is read when it has changed; one
// that cannot be read lists no run.
func (x *Index) group(below, dir string) *group {
	for _, name := range []string{sweep.ManifestFile, study.PlanFile} {
		info, err := plainfile.Lstat(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		now := stamp{info.Size(), info.ModTime()}
		x.mu.Lock()
		known := x.groups[below]
		x.mu.Unlock()
		if known != nil && known.stamp == now {
			return known
		}
		g := &group{path: below, sweep: name == sweep.ManifestFile, stamp: now, folder: &sweep.Folder{}}
		if data, err := plainfile.Read(filepath.Join(dir, name), maxManifest); err == nil &&
			json.Unmarshal(data, g.folder) != nil {
			g.folder = &sweep.Folder{}
		}
		g.folder.Dir = dir
		return g
	}
	return nil
}

// planned are the runs of the manifest by their paths.
func (g *group) planned() map[string]sweep.Run {
	out := map[string]sweep.Run{}
	for _, r := range g.folder.Runs {
		if folderName.MatchString(r.Name) {
			out[path.Join(g.path, "runs", r.Name)] = r
		}
	}
	return out
}

// queued returns what Slurm says of a run; empty where it says nothing.
func (g *group) queued(name string) sweep.State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue[name]
}

// askEvery is how often Slurm is asked, and askFor how long it may take to answer: clusters do not like to be asked
// often.
const (
	askEvery = 15 * time.Second
	askFor   = 10 * time.Second
)

// askSlurm asks Slurm for the jobs of sweeps that were given to it, in the background: what it says is seen the next
// time. Where it does not answer, the folders alone tell what the runs do.
func (x *Index) askSlurm(ctx context.Context) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if time.Since(x.asked) < askEvery {
		return
	}
	x.asked = time.Now()
	for _, g := range x.groups {
		if !g.sweep {
			continue
		}
		if subs, err := g.folder.Submissions(); err != nil || len(subs) == 0 {
			continue
		}
		go func() {
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), askFor)
			defer stop()
			states, err := g.folder.Queue(ctx)
			if err != nil {
				states = nil
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			g.queue = states
		}()
	}
}

// groupOf is the innermost sweep or study that a run lies in, or the folder it lies in.
func groupOf(path string, inside []*group) *group {
	for _, g := range slices.Backward(inside) {
		if g.path == "." || strings.HasPrefix(path, g.path+"/") {
			return g
		}
	}
	name := ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		name = path[:i]
	}
	return &group{path: name}
}

// name returns what the runs of a group say it is.
func (g *group) name() string { return strings.TrimPrefix(g.path, ".") }
