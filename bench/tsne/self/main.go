// Command self lays points out with package tsne, as another process and as WebAssembly, for nacre bench tsne.
//
//	self N D IN OUT
//
// IN and OUT are N×D and N×2 float64 values, row by row. One line of JSON goes to standard output.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"nacre/tsne"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("self: want N D IN OUT")
	}
	n, _ := strconv.Atoi(os.Args[1])
	d, _ := strconv.Atoi(os.Args[2])
	if err := run(n, d, os.Args[3], os.Args[4]); err != nil {
		log.Fatalf("self: %v", err)
	}
}

func run(n, d int, source, target string) error {
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
	start := time.Now()
	s, err := tsne.New().Start(context.Background(), x)
	if err != nil {
		return err
	}
	if _, err := s.Step(context.Background(), s.Remaining()); err != nil {
		return err
	}
	wall := time.Since(start).Seconds()
	out := make([]byte, 0, 16*n)
	for _, v := range s.Positions() {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(float64(v)))
	}
	if err := os.WriteFile(target, out, 0o644); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"version": runtime.GOOS + "/" + runtime.GOARCH, "iterations": s.Iteration(), "wall_s": wall,
	})
}
