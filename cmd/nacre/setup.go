package main

import (
	"context"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/internal/home"
	"nacre/kernel"
	"nacre/library"
	"nacre/sim/mujoco"
)

func init() { register(headSetUp, setupCommand) }

func setupCommand(env *app.Env) *cobra.Command {
	var o app.SetupOptions
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Fetch MuJoCo and the scenes of Meta-World, or the library for training on any GPU",
		Long: `Setup puts MuJoCo ` + home.MuJoCoVersion + ` and the scenes of Meta-World ` + home.MetaWorldVersion +
			` into the user's cache, where every nacre of this
user finds them: $NACRE_HOME, or nacre under $XDG_CACHE_HOME or ~/.cache. Python's pip, or uv, downloads their
packages, without installing them. A wheel that is in the cache, or in a folder given with --from, needs no
network. Existing files are left alone, and packages of these versions that the Python has installed are used
where they are. That Python is $NACRE_PYTHON, the active environment's (VIRTUAL_ENV, CONDA_PREFIX), or python3
of PATH. NACRE_MUJOCO and NACRE_METAWORLD name other places for the two.

With --cells it only compiles the packages that cells can import. It uses the Go tool chain and takes minutes the
first time. Notebooks then run on the engine go, which compiles cells. Otherwise they run on the engine yaegi.

With --metaworld-v1 it puts other files into the cache: the scenes of Meta-World's first environments. The
families ml1-2020/... need them, and no package contains them. You name your own checkout or archive (.zip,
.tar, .tar.gz) of github.com/rlworkgroup/metaworld at commit 0875192, or its folder metaworld/envs/assets_v1.
Each file is compared with the id that git has of it. Textures and meshes that it lacks are taken from the
wheel of Meta-World ` + home.MetaWorldVersion + `. NACRE_METAWORLD_V1 names another folder with these files.

With --gpu it fetches instead the library by which --device webgpu trains on the GPUs of all makers, by Vulkan
or Metal (3 MB). NACRE_WEBGPU_LIB names another.`,
		Example: `  nacre setup
  nacre setup --gpu
  nacre setup --install
  nacre setup --from /media/wheels
  nacre setup --metaworld-v1 ~/metaworld
  nacre setup --cells`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return do(cmd.Context(), env, setUp, o) },
	}
	cmd.Flags().StringArrayVar(&o.Wheels, "from", nil, "`folder` with wheels to use instead of pip; may be repeated")
	cmd.Flags().BoolVar(&o.Install, "install", false, "install pip with apt-get where there is none (needs root)")
	cmd.Flags().BoolVar(&o.Cells, "cells", false, "compile the packages that cells import, for the engine go")
	cmd.Flags().StringVar(&o.MetaWorld2020, "metaworld-v1", "",
		"`folder` or archive to take the scenes of Meta-World of 2020 from, instead of fetching")
	cmd.Flags().BoolVar(&o.GPU, "gpu", false, "fetch the library for --device webgpu instead")
	return cmd
}

// setUp tells the setup what this program can load and compile.
func setUp(ctx context.Context, env *app.Env, o app.SetupOptions) error {
	o.Usable, o.Library = mujoco.Built(), mujoco.Path()
	o.Compile = func(ctx context.Context) error {
		return kernel.CompileLibrary(ctx, source(), packageList(), library.New())
	}
	return app.Setup(ctx, env, o)
}
