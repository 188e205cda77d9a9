package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A room is a top-level folder with Go in it, and who belongs there.
type room struct{ name, about string }

// floors is the house from the roof down. What a room imports lies on a floor below its own, so that rooms on one floor
// do not know one another: that is what keeps research code out of the kernel and algorithms out of core.
var floors = [][]room{
	{
		{"cmd", "the program: one command, and what its subcommands do"},
		{"wasm", "the kernel and t-SNE as programs for a browser's workers"},
	},
	{
		{"bench", "measurements beside PyTorch, Python's environments, other t-SNE libraries and other kernels"},
		{"python", "the Python package `nacre_rl`: run folders and trained agents for programs in Python"},
		{"fidelity", "compares programs run in cells with the same programs compiled: they must print the same and " +
			"end alike"},
	},
	{
		{"library", "what cells may import; `symbols` is generated, `display` shows things, `cell` knows the running " +
			"cell"},
	},
	{
		{"server", "the notebook server: HTTP, kernels' processes, files, batch runs"},
		{"experiment", "configuration, run folders, checkpoints, studies, sweeps, tables"},
	},
	{{"tcl", "the contrastive loss and its windows"}},
	{{"pearl", "PEARL: update, collection, adaptation"}},
	{{"rl", "what learners share (contract, configuration, replay, belief, protocol), and the other algorithms"}},
	{{"analysis", "statistics and plots"}},
	{
		{"kernel", "Go cells: sessions, engines, Jupyter's messages; `assist` completes and documents them; " +
			"no research code"},
		{"core", "the compiler from losses, as graphs, to one program per update; the devices that run it"},
		{"sim", "task families, physics, rollouts, verification, pictures, playback"},
		{"tsne", "layouts and the analysis of embeddings"},
		{"web", "the front end in TypeScript, embedded"},
		{"notebooks", "the notebooks that users start from"},
	},
	{{"internal", "small tools without a meaning of their own"}},
}

// climbing are the packages whose tests may import from floors above their own, each with the reason.
var climbing = map[string]string{
	"core/cuda":   "its tests look into the device while it runs whole algorithms",
	"pearl":       "its tests attach TCL's loss to the learner's insides",
	"notebooks":   "its tests run the notebooks with the program",
	"web/browser": "its tests drive the whole program from a page",
}

// gorgonia are the packages written by hand that may import Gorgonia or its tensors, each with the reason; "tests of"
// stands before a package of which only tests may. All others use core/graph.
var gorgonia = map[string]string{
	"core/graph":    "it is the door",
	"tests of core": "they hand a stage what a cell makes with Gorgonia's own functions",
	"library":       "it draws the tensors that cells make",
}

// pastTheDoor returns the package of a file that imports Gorgonia, as gorgonia names it, and what the file imports;
// nothing if it does not.
func pastTheDoor(name string, text []byte) (who, what string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return "", "", err
	}
	for _, i := range f.Imports {
		if what := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(what, "gorgonia.org/") {
			who := path.Dir(name)
			if strings.HasSuffix(name, "_test.go") && gorgonia[who] == "" {
				who = "tests of " + who
			}
			return who, what, nil
		}
	}
	return "", "", nil
}

// An arrow is an import across rooms: the package that imports and the one imported, without the module's name.
type arrow struct{ from, to string }

// top is the room of a package.
func top(folder string) string {
	name, _, _ := strings.Cut(folder, "/")
	return name
}

// arrows reads the imports of all Go files that are no tests, or of all tests, under every build tag and for every
// system.
func arrows(root string, tests bool) ([]arrow, error) {
	found := map[arrow]bool{}
	rooms := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path == root {
				return nil
			}
			if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir // a module of its own
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		relative, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(relative)
		rooms[top(folder)] = true
		if strings.HasSuffix(name, "_test.go") != tests {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			to, own := strings.CutPrefix(imported, "nacre/")
			if own && top(to) != top(folder) {
				found[arrow{folder, to}] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, floor := range floors {
		for _, r := range floor {
			if !rooms[r.name] {
				return nil, fmt.Errorf("the house has a room %s without Go files", r.name)
			}
			delete(rooms, r.name)
		}
	}
	for name := range rooms {
		return nil, fmt.Errorf("folder %s has Go files and no place in the house (internal/docs/house.go)", name)
	}
	all := slices.Collect(maps.Keys(found))
	slices.SortFunc(all, func(a, b arrow) int { return strings.Compare(a.from+" "+a.to, b.from+" "+b.to) })
	return all, nil
}

// upward are the arrows that do not lead to a lower floor.
func upward(all []arrow) []arrow {
	level := map[string]int{}
	for i, floor := range floors {
		for _, r := range floor {
			level[r.name] = i
		}
	}
	var wrong []arrow
	for _, a := range all {
		if level[top(a.to)] <= level[top(a.from)] {
			wrong = append(wrong, a)
		}
	}
	return wrong
}

// house draws rooms and arrows as a Mermaid diagram, without the arrows that follow from others, and lists the rooms.
// What goes up, and fails the test, is drawn as such.
func house(root, _ string) (string, error) {
	all, err := arrows(root, false)
	if err != nil {
		return "", err
	}
	wrong := upward(all)
	knows := map[string][]string{}
	for _, a := range all {
		from, to := top(a.from), top(a.to)
		if slices.Contains(wrong, a) {
			continue
		}
		if !slices.Contains(knows[from], to) {
			knows[from] = append(knows[from], to)
		}
	}
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TB\n")
	for i, floor := range floors {
		fmt.Fprintf(&b, "  subgraph floor%d [\" \"]\n", len(floors)-1-i)
		for _, r := range floor {
			fmt.Fprintf(&b, "    %s\n", r.name)
		}
		b.WriteString("  end\n")
	}
	for _, floor := range floors {
		for _, r := range floor {
			for _, to := range knows[r.name] {
				others := slices.DeleteFunc(slices.Clone(knows[r.name]), func(o string) bool { return o == to })
				if !slices.ContainsFunc(others, func(o string) bool { return reaches(knows, o, to) }) {
					fmt.Fprintf(&b, "  %s --> %s\n", r.name, to)
				}
			}
		}
	}
	drawn := map[arrow]bool{}
	for _, a := range wrong {
		if a = (arrow{top(a.from), top(a.to)}); !drawn[a] {
			drawn[a] = true
			fmt.Fprintf(&b, "  %s -. up .-> %s\n", a.from, a.to)
		}
	}
	b.WriteString("```\n\n| room | what belongs in it |\n|---|---|\n")
	for _, floor := range floors {
		for _, r := range floor {
			fmt.Fprintf(&b, "| `%s` | %s |\n", r.name, r.about)
		}
	}
	return b.String(), nil
}

// reaches reports whether one room comes to another along the arrows.
func reaches(knows map[string][]string, from, to string) bool {
	return from == to || slices.ContainsFunc(knows[from], func(n string) bool { return reaches(knows, n, to) })
}
