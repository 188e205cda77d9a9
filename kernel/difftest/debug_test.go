package difftest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"
)

func TestDebugGen(t *testing.T) {
	if os.Getenv("GENDEBUG") == "" {
		t.Skip()
	}
	counts := map[string]int{}
	src := map[string]string{}
	ok := 0
	for n := range 300 {
		g := &generator{Rand: rand.New(rand.NewPCG(99, uint64(n)))}
		body := g.program()
		source, err := withImports(body)
		if err == nil {
			err = Check(source)
		} else {
			source = body
		}
		if err != nil {
			k := regexp.MustCompile(`\d+`).ReplaceAllString(err.Error(), "N")
			counts[k]++
			src[k] = err.Error() + "\n" + source
		} else {
			ok++
		}
	}
	fmt.Println(ok)
	for k, n := range counts {
		fmt.Println(n, k)
		os.WriteFile(fmt.Sprint("/tmp/p/y/gd", n, ".txt"), []byte(src[k]), 0o644)
	}
}
