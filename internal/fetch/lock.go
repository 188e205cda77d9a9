package fetch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"nacre/internal/lockfile"
)

// lock waits until no other program fetches into the same folder.
func (o Options) lock(ctx context.Context) (release func(), err error) {
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
