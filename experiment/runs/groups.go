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
	stamp  stamp // size and date of the manifest
	folder *sweep.Folder

	mu    sync.Mutex
	queue map[string]sweep.State // Slurm's states of the runs, by name
}

// maxManifest is the largest size of a manifest, in bytes.
const maxManifest = 64 << 20

// group returns the sweep or study of a folder, nil if the folder is neither. A manifest is read when it has changed;
// one that cannot be read lists no run.
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

// planned returns the runs of the manifest by their paths.
func (g *group) planned() map[string]sweep.Run {
	out := map[string]sweep.Run{}
	for _, r := range g.folder.Runs {
		if folderName.MatchString(r.Name) {
			out[path.Join(g.path, "runs", r.Name)] = r
		}
	}
	return out
}

// queued returns Slurm's state of a run, empty if Slurm does not know the run.
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

// askSlurm asks Slurm, in the background, for the jobs of sweeps that were given to it. The answer is used the next
// time. If Slurm does not answer, the folders alone show the states of the runs.
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

// groupOf is the innermost sweep or study in which a run lies. If there is none, it is the run's parent folder.
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

// name is the group's name in its runs.
func (g *group) name() string { return strings.TrimPrefix(g.path, ".") }
