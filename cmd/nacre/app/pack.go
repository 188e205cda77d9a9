package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"nacre/experiment/pack"
)

// PackOptions are the flags of nacre pack.
type PackOptions struct {
	Dir string
	Out string // name of the .zip; "": beside the folder, with the folder's name
}

// Pack packs a run, a study, a sweep or a folder of them into one file.
func Pack(_ context.Context, env *Env, o PackOptions) error {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	out := cmp.Or(o.Out, filepath.Join(filepath.Dir(filepath.Clean(o.Dir)), filepath.Base(dir)+".zip"))
	if err := makeParent(out); err != nil {
		return err
	}
	p, err := pack.Folder(o.Dir, out)
	if err != nil {
		return err
	}
	for _, line := range p.Notes {
		env.Notice(line)
	}
	return env.Print(p, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s, %.1f MB\n", p.File, plural(p.Files, "file"), float64(p.Bytes)/1e6)
		if p.Left == 0 {
			return nil
		}
		_, err := fmt.Fprintf(w, "left out: %s, %.1f MB: checkpoints, event files and locks, which only training on "+
			"needs, and what reports do without\n",
			plural(p.Left, "file"), float64(p.LeftBytes)/1e6)
		return err
	})
}
