package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"nacre/internal/atomicfile"
	"nacre/internal/home"
	"nacre/internal/shell"
	"nacre/notebooks"
)

// ExamplesOptions are the arguments of nacre examples.
type ExamplesOptions struct {
	Dir  string // folder to copy into
	Data string // folder of the notebooks' data; if empty, no data are copied
}

// Examples copies the notebooks that come with the program into a folder. Their data are copied too if they are beside
// the program. Existing files are kept.
func Examples(ctx context.Context, env *Env, o ExamplesOptions) error {
	copied, err := copyNew(ctx, notebooks.Files, o.Dir)
	if err != nil {
		return err
	}
	data := cmp.Or(o.Data, shippedData())
	if data == "" {
		env.Notice("the notebooks' data is not beside the program: " + notebooks.NeedData +
			" cannot show the studies that come with it; a release's folder and a checkout have them")
	} else {
		n, err := copyNew(ctx, os.DirFS(data), filepath.Join(o.Dir, "data"))
		if err != nil {
			return err
		}
		copied += n
	}
	return env.Print(map[string]any{"folder": o.Dir, "copied": copied}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s copied; open them with: %s\n", o.Dir, plural(copied, "file"),
			shell.Command("nacre", "notebook", shell.Path(o.Dir)))
		return err
	})
}

// shippedData returns the folder of the notebooks' data in a release or a checkout, or "" if there is none.
func shippedData() string {
	for _, dir := range []string{home.Beside("notebooks", "data"), home.Beside("..", "notebooks", "data")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// copyNew copies the files of a tree into a folder, except those that exist there, and returns how many.
func copyNew(ctx context.Context, from fs.FS, to string) (copied int, err error) {
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		target := filepath.Join(to, filepath.FromSlash(name))
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		copied++
		return atomicfile.WriteBytes(target, data)
	})
	return copied, err
}
