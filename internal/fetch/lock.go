package fetch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lock waits until no other program fetches into the same folder.
func (o Options) lock(ctx context.Context) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(o.Dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, unwritable(o.Dir, err)
	}
	began, said := time.Now(), time.Time{}
	for {
		held, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		if !held {
			return func() { f.Close() }, nil
		}
		if time.Since(said) > patience {
			said = time.Now()
			o.Say(fmt.Sprintf("waiting for another nacre setup: %.0f s", time.Since(began).Seconds()))
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
