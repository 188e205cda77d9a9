package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"nacre/internal/fetch"
	"nacre/kernel"
)

// SetupOptions are the flags of nacre setup.
type SetupOptions struct {
	Wheels  []string // folders with wheels to use instead of pip
	Install bool     // install pip with apt-get if it is missing
	GPU     bool     // fetch the library for WebGPU instead of MuJoCo
	Usable  bool     // this program can load MuJoCo
	Library string   // path of the MuJoCo that is in use already; empty if there is none
	Cells   bool     // only compile the packages that cells import

	// folder or archive from which only the scenes of Meta-World of 2020 are taken; empty for none
	MetaWorld2020 string

	Compile func(context.Context) error // compiles the packages that cells import (see Cells)
}

// Setup fetches MuJoCo and the scenes of Meta-World, or the library for WebGPU, into the user's cache.
func Setup(ctx context.Context, env *Env, o SetupOptions) error {
	if o.Cells {
		err := o.Compile(ctx)
		if errors.Is(err, kernel.ErrNoToolChain) {
			fmt.Fprintf(env.Err, "notebooks run on yaegi: %v\n", err)
			return nil
		}
		return err
	}
	how := fetch.Options{Wheels: o.Wheels, Install: o.Install, Say: func(line string) { fmt.Fprintln(env.Err, line) }}
	if o.GPU {
		part, err := fetch.WebGPU(runtime.GOOS, runtime.GOARCH)
		if err != nil {
			return err
		}
		how.Command, how.Asking = "nacre setup --gpu", "nacre setup --gpu --install"
		return fetch.Get(ctx, []fetch.Part{part}, how)
	}
	parts, err := fetch.Parts(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	if !o.Usable {
		return errors.New("this program was built without MuJoCo and could not use it; where its source and a C " +
			"compiler are, run `make`")
	}
	if o.MetaWorld2020 != "" {
		how.Command = "nacre setup --metaworld-v1 " + o.MetaWorld2020
		return fetch.MetaWorld2020(ctx, o.MetaWorld2020, parts[1], how)
	}
	mujoco, rest := parts[:1], parts[1:]
	if err := fetch.Get(ctx, mujoco, how); err != nil {
		if o.Library == "" || ctx.Err() != nil {
			return err
		}
		how.Say(fmt.Sprintf("%s: the one at %s is used, because %v", mujoco[0], o.Library, err))
	}
	return fetch.Get(ctx, rest, how)
}
