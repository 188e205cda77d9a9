package app

import "time"

// TrainOptions are the flags of nacre train.
type TrainOptions struct {
	Algorithm string // "pearl", "tcl-pearl"; empty leaves the preset's
	Family    string // empty leaves the preset's
	Preset    string
	Config    string   // path of a TOML file, empty for none
	Set       []string // key=value
	Seed      uint64
	SeedGiven bool // whether Seed was given; otherwise the configuration's holds
	Out       string
	Workers   int    // 0 is one per core
	Device    string // "auto", "cpu", "ref"
}

// ResumeOptions are the flags of nacre resume.
type ResumeOptions struct {
	Dir     string
	Workers int
	Device  string
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
	Dir     string
	Tasks   int    // tasks to embed
	Windows int    // windows per task
	Length  int    // transitions per window; 0 is the run's training length
	Split   string // "test", "train"
	Seed    uint64
	Out     string // .npz or .csv; empty is embeddings.npz in the run folder
	Workers int
}

// TSNEOptions are the flags of nacre tsne. Zero leaves the recipe's own value.
type TSNEOptions struct {
	Input      string // .npz or .csv, or a run folder with embeddings.npz
	Label      string // name of the label column or array
	Recipe     string
	Perplexity float64
	Iterations int
	Start      string // "pca", "random"
	Repeats    int
	Seed       uint64
	Out        string // folder
	Workers    int
}

// StudyOptions are the flags of nacre study.
type StudyOptions struct {
	Name    string
	Seeds   int
	Seed    uint64 // the first
	Budget  time.Duration
	Out     string
	Workers int
	Set     []string
}

// BenchOptions are the flags of nacre bench update and nacre bench rollout.
type BenchOptions struct {
	Check    bool   // update: compare with the yardstick's figures instead of timing
	Size     string // update: "oyster", "metaworld"
	Device   string
	Updates  int
	Family   string // rollout
	Episodes int
	Workers  int
}
