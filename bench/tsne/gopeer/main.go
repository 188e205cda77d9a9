//go:build ignore

// Command gopeer lays points out with github.com/danaugrs/go-tsne, for nacre bench tsne. It is run in a folder of its
// own with mod.txt as go.mod and sum.txt as go.sum, so that nacre does not depend on that library.
//
//	gopeer N D IN OUT
//
// IN and OUT are N×D and N×2 float64 values, row by row. One line of JSON goes to standard output.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/danaugrs/go-tsne/tsne"
	"gonum.org/v1/gonum/mat"
)

// The library has no default learning rate and no early exaggeration; 100 and 300 iterations are its own example's.
const iterations, rate, perplexity = 300, 100, 30

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("gopeer: want N D IN OUT")
	}
	n, _ := strconv.Atoi(os.Args[1])
	d, _ := strconv.Atoi(os.Args[2])
	if err := run(n, d, os.Args[3], os.Args[4]); err != nil {
		log.Fatalf("gopeer: %v", err)
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
	x := make([]float64, n*d)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	start, cpu := time.Now(), processor()
	y := tsne.NewTSNE(2, perplexity, rate, iterations, false).EmbedData(mat.NewDense(n, d, x), nil)
	wall, used := time.Since(start).Seconds(), processor()-cpu
	out := make([]byte, 0, 16*n)
	for i := range n {
		for c := range 2 {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(y.At(i, c)))
		}
	}
	if err := os.WriteFile(target, out, 0o644); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"version": "20200708", "iterations": iterations, "wall_s": wall, "cpu_s": used,
	})
}

func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
