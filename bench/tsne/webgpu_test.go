package tsnebench

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"nacre/internal/usage"
	"nacre/tsne"
	"nacre/tsne/webgpu"
)

// What the first adapter of this machine needs for layouts of Points, beside the processor's and judged by one
// evaluator. It prints figures and judges none.
//
//	NACRE_TSNE_WEBGPU=10000,100000 go test ./bench/tsne -run WebGPUBesideProcessor -v -timeout 2h
func TestWebGPUBesideProcessor(t *testing.T) {
	sizes := os.Getenv("NACRE_TSNE_WEBGPU")
	if sizes == "" {
		t.Skip("NACRE_TSNE_WEBGPU does not name numbers of points")
	}
	engine, err := webgpu.Open(webgpu.Options{Software: true})
	if err != nil {
		t.Skipf("not tested: %v", err)
	}
	defer engine.Close()
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		x := Points(n)
		kl := map[string]float64{}
		judge, err := NewJudge(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for name, options := range map[string][]tsne.Option{"processor": nil, "webgpu": {tsne.WithEngine(engine)}} {
			s, err := tsne.New(options...).Start(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			wall, cpu := time.Now(), usage.CPU()
			for s.Remaining() > 0 {
				if _, err := s.Step(t.Context(), 100); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s points, %s: iteration %d after %.0f s, %.0f s of the processor's", size, name, s.Iteration(),
					time.Since(wall).Seconds(), usage.CPU()-cpu)
			}
			y := tsne.NewMatrix(n, 2)
			for i, v := range s.Positions() {
				y.Data[i] = float64(v)
			}
			if kl[name], err = judge.KL(y); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s points, %s: KL %.4f %s %q", size, name, kl[name], s.Device(), s.Notes())
		}
	}
}
