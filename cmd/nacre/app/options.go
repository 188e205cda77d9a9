package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nacre/core/cpu"
	"nacre/core/devices"
	"nacre/experiment"
)

// TrainOptions are the flags of nacre train.
type TrainOptions struct {
	Algorithm string // one of rl.Names(); empty leaves the preset's
	Family    string // empty leaves the preset's
	Preset    string
	Config    string   // path of a TOML file, empty for none
	Set       []string // key=value
	Seed      uint64
	SeedGiven bool // whether Seed was given; otherwise the configuration's holds
	Out       string
	Workers   int // 0 is one per core
	Seeds     int // runs with consecutive seeds, side by side
	KeepOptions
	DeviceOptions
}

// KeepOptions are the flags that choose what a training keeps of its states on the way.
type KeepOptions struct {
	Keep      int // iterations after which weights are kept; 0 for none
	KeepState int // and after which checkpoints are, to branch from
}

// DeviceOptions are the flags that choose where training computes, and how exactly.
type DeviceOptions struct {
	Device    string // one of devices.Names; empty is "cpu" or what a run used before
	Precision string // of matrix products, one of devices.Precisions; "float32" is "fp32"
}

// host is what an experiment needs from the machine.
func (o DeviceOptions) host(workers int) (experiment.Host, error) {
	h := experiment.Host{Workers: workers, Device: o.Device}
	precision := o.Precision
	if precision == "float32" {
		precision = "fp32"
	}
	has, err := devices.Precisions(o.Device)
	if err != nil {
		return h, err
	}
	if precision != "" && !slices.Contains(has, precision) {
		return h, Usagef("--precision %s with --device %s: expected one of %s", precision, cmp.Or(o.Device, "cpu"), strings.Join(has, ", "))
	}
	if devices.Accelerated(o.Device) {
		h.Precision = precision
	} else {
		h.Kernel = cpu.KernelOf("", precision)
	}
	return h, nil
}

// ResumeOptions are the flags of nacre resume.
type ResumeOptions struct {
	Dir       string
	StartOver bool     // train the run from its beginning again
	Set       []string // key=value, of what makes the run longer
	Workers   int
	KeepOptions
	DeviceOptions
}

// BranchOptions are the flags of nacre branch.
type BranchOptions struct {
	Dir     string // of the parent
	At      int    // complete iterations
	Set     []string
	Out     string
	Workers int
	KeepOptions
	DeviceOptions
}

// EvalOptions are the flags of nacre eval. Negative numbers and empty words leave the protocol's own value.
type EvalOptions struct {
	Dir      string
	Protocol string // name of a protocol; empty is the run's
	Explore  int
	Scored   int
	Repeats  int
	Z        string // "mean", "sample"
	Actions  string // "deterministic", "sampled"
	Seed     uint64
	Train    bool // evaluate on the train tasks instead of the test tasks
	Workers  int
}

// EmbedOptions are the flags of nacre embed.
type EmbedOptions struct {
	Context string // experiment.ContextKinds
	Dir     string
	Tasks   int  // tasks to embed
	Windows int  // windows per task
	Length  int  // transitions per window; 0 is the run's training length
	Vary    bool // draw the start of every rollout
	Seed    uint64
	Out     string // .npz or .csv; empty is embeddings.npz in the run folder
	Workers int
}

// TSNEOptions are the flags of nacre tsne. Zero leaves the recipe's own value.
type TSNEOptions struct {
	Inputs     []string // files of numbers, or run folders with embeddings.npz
	Label      string   // name of the label column or array
	Columns    []string // of the coordinates, names or patterns; none chooses
	Separator  string   // of a CSV file, one letter; empty finds out, as do the next two
	Decimal    string   // "." or ","
	Encoding   string
	Recipe     string
	Perplexity float64
	Iterations int
	Start      string // "pca", "random"
	Metric     string // of neighbours: "" or "cosine"
	Method     string // of the repulsion, as tsne.Method
	Repeats    int
	UMAP       bool    // instead of t-SNE
	Neighbours int     // of UMAP
	MinDist    float64 // of UMAP
	Seed       uint64
	Out        string // folder
	Workers    int
}

// StudyOptions are the flags of nacre study.
type StudyOptions struct {
	Name     string
	Seeds    int      // training seeds 1 … Seeds; 0 is the plan's
	Windows  int      // embedded windows per task; 0 is the plan's
	Layouts  int      // further t-SNE layouts; -1 is the plan's
	Scale    string   // "small", "paper"; empty is the plan's
	Ablate   string   // an open point to compare readings of; empty compares PEARL and TCL-PEARL
	Plan     bool     // say what would be done and how long it takes, and do nothing
	Families []string // of the study of several; empty are its own
	Sweeps   []string // folders of sweeps that train the runs
	Pack     string   // folder to pack the finished study into; empty packs nothing
	Out      string
	Workers  int
	Set      []string
	DeviceOptions
}

// CheckStudyOptions are the flags of nacre study check.
type CheckStudyOptions struct {
	Dir     string
	Layouts bool // repeat t-SNE from random starts too
}

// BenchUpdateOptions are the flags of nacre bench update.
type BenchUpdateOptions struct {
	Check     bool   // compare with reference figures instead of timing
	Explain   bool   // print how the update is executed, and the time of every region
	GPU       string // with Explain: a GPU, one of roofline.Names(), that is modelled; empty measures
	Seeds     int    // with GPU: how many run as one program
	Dump      string // with GPU: folder for the graph and the text of the kernels; empty for none
	Scaling   bool   // time one worker, all, and all of them on updates of their own
	Versus    string // what to time in turns with it: "torch", on a GPU also "torch-graph", "torch-compile", "jax"; or empty
	Python    string // the interpreter that has it
	Products  string // on a GPU: "own" for Nacre's own matrix products; empty is cuBLASLt's
	Size      string // "oyster", "metaworld", "both"
	Algorithm string // one of Measured(), or "both": pearl and tcl-pearl
	Kernel    string // "avx512", "avx2", "simd128", "go"; empty is the fastest
	Updates   int
	Workers   int
	DeviceOptions
}

// BenchSimOptions are the flags of nacre bench sim.
type BenchSimOptions struct {
	Family  string // one on MuJoCo, or AllFamilies
	Python  string // interpreter with the defining packages, to measure them too; empty is not to
	Workers int
	Envs    int // per worker; 0 is the family's own number
	Steps   int // per environment and round, of Family
	Rounds  int
}

// SetupOptions are the flags of nacre setup.
type SetupOptions struct {
	Wheels  []string // folders with wheels to use instead of pip
	Install bool     // install pip with apt-get where it is missing
	GPU     bool     // fetch the library for WebGPU instead of MuJoCo
	Usable  bool     // whether this program can load what is fetched
	Library string   // MuJoCo's, where one is in use already; empty where there is none
	Cells   bool     // only compile the packages that cells import

	MetaWorld2020 string // folder or archive to take the scenes of Meta-World of 2020 from, instead of all else; empty is none

	Compile func(context.Context) error // does that
}

// ExamplesOptions are the arguments of nacre examples.
type ExamplesOptions struct {
	Dir  string // to copy into
	Data string // folder of the notebooks' data; empty is none
}

// NotebookOptions are the flags of nacre notebook.
type NotebookOptions struct {
	Path    string // folder or notebook; empty is the working directory
	Address string
	Port    int
	Token   string // empty makes one
	Hosts   []string
	Memory  string // of one kernel: "8GB"; empty is the machine's, "none" no limit
	Engine  string // of the kernels; empty is the default
	Browser bool   // open one
	Runs    bool   // the page of runs is what is opened

	Processes int    // runs that are trained at a time, of those that the page of runs starts
	Programs  string // folder of the programs that pages run in the browser; empty is none

	Compiles func() error // why the engine auto does not compile cells; nil where another was chosen
}

// SiteOptions are the flags of nacre site.
type SiteOptions struct {
	Paths    []string // notebooks, folders of them, runs and studies
	Out      string
	Programs string // folder of the programs for the browser
	NoScenes bool   // leave the scenes of Meta-World out
}

// KernelOptions are the flags of nacre kernel.
type KernelOptions struct {
	ConnectionFile string // for ZeroMQ
	Pipe           bool   // for this program's server
	Engine         string
}

// KernelspecOptions are the flags of nacre kernelspec install.
type KernelspecOptions struct {
	Prefix string // empty installs for this user
	Engine string // that the kernel is started with; empty is auto
}

// RunOptions are the flags of nacre run.
type RunOptions struct {
	File       string
	Out        string   // empty keeps nothing
	Parameters []string // name=value
	Timeout    time.Duration
	Memory     string // as of NotebookOptions
	Engine     string
	Compiles   func() error // as of NotebookOptions
}

// BenchTSNEOptions are the flags of nacre bench tsne.
type BenchTSNEOptions struct {
	Sizes   []int    // points
	Digits  bool     // and the digits of scikit-learn
	UMAP    bool     // and layouts by UMAP
	Starts  int      // further layouts from starts that libraries share
	Peers   []string // names; none is all
	Scripts string   // folder of the scripts that run the others; empty is those in the program
	Home    string   // folder the others are installed in; empty is one in the cache
	Python  string   // interpreter with scikit-learn and openTSNE; empty is one in Home
	Node    string   // command
	Modules string   // node_modules folder with wasm-bhtsne; empty is one in Home
	Keep    string   // folder in which their layouts stay; empty is none
	Workers int      // threads each may use; 0 is 1
}

// BenchKernelOptions are the flags of nacre bench kernel.
type BenchKernelOptions struct {
	Cells int // round trips
	Lines int // printed by one cell
	Loads int // of the page with each notebook
}
