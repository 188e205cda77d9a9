// Command self lays points out with package tsne, as another process and as WebAssembly, for nacre bench tsne.
//
//	self [-method METHOD] [-iterations N] N D IN OUT
//
// IN and OUT are N×D and N×2 float64 values, row by row. One line of JSON goes to standard output.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"nacre/internal/usage"
	"nacre/tsne"
)

func main() {
	log.SetFlags(0)
	recipe := tsne.Current()
	method := flag.String("method", "", "exact, fft or barnes-hut")
	iterations := flag.Int("iterations", recipe.Iterations(), "iterations, a third of them exaggerated")
	flag.Parse()
	if flag.NArg() != 4 {
		log.Fatal("self: want N D IN OUT")
	}
	recipe.Method = tsne.Method(*method)
	recipe.Phases[0].Iterations = *iterations / 3
	recipe.Phases[1].Iterations = *iterations - *iterations/3
	n, _ := strconv.Atoi(flag.Arg(0))
	d, _ := strconv.Atoi(flag.Arg(1))
	if err := run(recipe, n, d, flag.Arg(2), flag.Arg(3)); err != nil {
		log.Fatalf("self: %v", err)
	}
}

func run(recipe tsne.Recipe, n, d int, source, target string) error {
	raw, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if len(raw) != 8*n*d {
		return fmt.Errorf("%s has %d bytes, want %d×%d float64", source, len(raw), n, d)
	}
	x := tsne.NewMatrix(n, d)
	for i := range x.Data {
		x.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	start, cpu := time.Now(), usage.CPU()
	s, err := tsne.New(tsne.WithRecipe(recipe)).Start(context.Background(), x)
	if err != nil {
		return err
	}
	if _, err := s.Step(context.Background(), s.Remaining()); err != nil {
		return err
	}
	wall, used := time.Since(start).Seconds(), usage.CPU()-cpu
	out := make([]byte, 0, 16*n)
	for _, v := range s.Positions() {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(float64(v)))
	}
	if err := os.WriteFile(target, out, 0o644); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"version": runtime.GOOS + "/" + runtime.GOARCH, "iterations": s.Iteration(), "wall_s": wall, "cpu_s": used,
	})
}
