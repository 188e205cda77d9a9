package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"nacre/internal/lockfile"
)

// lock makes the folder and waits until no other program fetches into it.
func (o Options) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, unwritable(o.Dir, err)
	}
	began, said := time.Now(), time.Time{}
	for {
		lock, err := lockfile.Take(filepath.Join(o.Dir, ".lock"))
		if err == nil {
			for _, n := range lock.Notices {
				o.Say(n)
			}
			return func() { lock.Close() }, nil
		}
		if _, held := errors.AsType[*lockfile.HeldError](err); !held {
			return nil, unwritable(o.Dir, err)
		}
		if time.Since(said) > patience {
			said = time.Now()
			o.Say(fmt.Sprintf("waiting for another nacre setup: %.0f s", time.Since(began).Seconds()))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
