package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"nacre/internal/fetch"
)

// Setup fetches MuJoCo and the scenes of Meta-World into the user's cache.
func Setup(ctx context.Context, env *Env, o SetupOptions) error {
	parts, err := fetch.Parts(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	if !o.Usable {
		return errors.New("this program was built without MuJoCo and could not use it; where its source and a C compiler are, run `make`")
	}
	return fetch.Get(ctx, parts, fetch.Options{
		Wheels: o.Wheels, Install: o.Install, Say: func(line string) { fmt.Fprintln(env.Err, line) },
	})
}
