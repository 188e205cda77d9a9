package study

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"nacre/experiment"
	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/rl"
)

// trained lists the needed files of a finished run: tasks, metrics, times, weights, and the configuration with its
// record of program and machine. Checkpoints, which hold the replay buffers, are not among them.
var trained = []string{
	experiment.TasksFile, experiment.MetricsFile, experiment.TimingFile, experiment.WeightsFile,
	experiment.EvaluationFile, experiment.ConfigFile,
}

// packed lists the files that are shipped: these and the arrays.
var packed = append(slices.Clone(trained), EmbeddingsFile, LayoutFile, ScriptFile)

// weighted is the number of seeds, from the first on, whose weights are shipped. A study with more seeds takes the
// results of the other seeds from results.json.
const weighted = 1

// pictures are the files that report.md shows.
var pictures = []string{
	"tsne.png", "tsne-rows.png", "tsne-rollout.png", "tsne-meta-test.png", "tsne-script.png", "adaptation.png",
	"learning.png", "published.png",
}

// Pack writes a finished study to another folder, in the form in which results are shipped. It writes results.json with
// the program, commit, machine and libraries that made them, the report with its pictures, and the files of every run
// that Open, Check, nacre eval and nacre embed need. Weights are written only for the first seed, and only for the
// networks that act, because all weights would be most of the bytes. It returns the number of bytes written. The folder
// must be empty or must not exist.
func Pack(from, to string) (bytes int64, err error) {
	return pack(from, to, append([]string{ReportFile, PageFile}, pictures...))
}

// PackSuite packs the studies of a suite, each into a folder with its name, without reports and pictures.
func PackSuite(from, to string) (bytes int64, err error) {
	s, err := openSuite(from)
	if err != nil {
		return 0, err
	}
	for _, name := range s.Studies {
		n, err := pack(filepath.Join(from, name), filepath.Join(to, name), nil)
		if err != nil {
			return bytes, err
		}
		bytes += n
	}
	n, err := copyFile(filepath.Join(from, ResultsFile), filepath.Join(to, ResultsFile))
	return bytes + n, err
}

// Packer returns Pack for the folder of a study and PackSuite for the folder of a suite. It is nil for other folders,
// and for folders that were packed.
func Packer(dir string) (func(from, to string) (bytes int64, err error), error) {
	if !exists(filepath.Join(dir, ResultsFile)) {
		return nil, nil
	}
	data, err := plainfile.Read(filepath.Join(dir, ResultsFile), maxResults)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	var about struct {
		Dir     string
		Arms    []struct{}
		Studies []string
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return nil, fmt.Errorf("study: %s: %w", filepath.Join(dir, ResultsFile), err)
	}
	switch {
	case len(about.Studies) > 0:
		if one, err := Packer(filepath.Join(dir, about.Studies[0])); one == nil {
			return nil, err
		}
		return PackSuite, nil
	case len(about.Arms) == 0 || about.Dir == packedDir:
		return nil, nil
	}
	return Pack, nil
}

// packedDir is the folder that a packed study's results name: the folder in which they lie.
const packedDir = "."

// pack writes a study with the files of shown.
func pack(from, to string, shown []string) (bytes int64, err error) {
	r, err := Open(from)
	if err != nil {
		return 0, err
	}
	if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 {
		return 0, fmt.Errorf("study: %s is not empty: choose a new folder to pack into", to)
	}
	for _, name := range shown {
		n, err := copyFile(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil {
			return bytes, err
		}
		bytes += n
	}
	for i := range r.Arms {
		for k := range r.Arms[i].Seeds {
			s := &r.Arms[i].Seeds[k]
			source := filepath.Join(from, filepath.FromSlash(s.Run))
			s.Run = "runs/" + filepath.Base(source)
			files := slices.Clone(packed)
			for _, c := range s.Crossed {
				files = append(files, c.file())
			}
			for _, c := range s.Contexts {
				if c.Context != experiment.WindowContext {
					embeddings, layout := ContextFiles(c.Context)
					files = append(files, embeddings, layout)
				}
			}
			if k >= weighted {
				files = slices.DeleteFunc(files, func(name string) bool { return name == experiment.WeightsFile })
			}
			for _, name := range files {
				copied := copyFile
				if name == experiment.WeightsFile {
					copied = copyWeights(r.Arms[i].Algorithm)
				}
				n, err := copied(filepath.Join(source, name), filepath.Join(to, filepath.FromSlash(s.Run), name))
				if err != nil {
					return bytes, err
				}
				bytes += n
			}
		}
	}
	r.Dir = packedDir
	text, err := json.MarshalIndent(r, "", "")
	if err != nil {
		return bytes, fmt.Errorf("study: %w", err)
	}
	return bytes + int64(len(text)) + 1, atomicfile.WriteBytes(filepath.Join(to, ResultsFile), append(text, '\n'))
}

// PackRun copies a finished run in the form in which runs are shipped: without the checkpoint, and with the weights of
// the networks that act only. It returns the number of bytes written.
func PackRun(from, to, algorithm string) (bytes int64, err error) {
	for _, name := range trained {
		copied := copyFile
		if name == experiment.WeightsFile {
			copied = copyWeights(algorithm)
		}
		n, err := copied(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil {
			return bytes, err
		}
		bytes += n
	}
	return bytes, nil
}

// copyWeights is copyFile for an algorithm's weights. If the algorithm says which networks act, it copies only theirs.
func copyWeights(algorithm string) func(from, to string) (int64, error) {
	known, err := rl.Lookup(algorithm)
	if err != nil || known.Acts == nil {
		return copyFile
	}
	return func(from, to string) (int64, error) {
		if !exists(from) {
			return 0, nil
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return 0, fmt.Errorf("study: %w", err)
		}
		if err := experiment.CopyWeights(from, to, known.Acts); err != nil {
			return 0, fmt.Errorf("study: %w", err)
		}
		about, err := os.Stat(to)
		if err != nil {
			return 0, fmt.Errorf("study: %w", err)
		}
		return about.Size(), nil
	}
}

// copyFile copies a file and makes its new folder. A file that does not exist is left out.
func copyFile(from, to string) (int64, error) {
	in, err := plainfile.Open(from)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("study: %w", err)
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, fmt.Errorf("study: %w", err)
	}
	var n int64
	err = atomicfile.Write(to, func(w io.Writer) (err error) {
		n, err = io.Copy(w, in)
		return err
	})
	return n, err
}
