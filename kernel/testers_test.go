package kernel

import (
	"flag"
	"sync"
	"testing"
)

// Goroutines of one test, such as those of B.RunParallel, may all end it at the same time.
func TestManyGoroutinesEndATest(t *testing.T) {
	was := flag.Lookup("test.failfast").Value.String()
	defer flag.Set("test.failfast", was)
	var x tester
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50_000 {
				x.beginNoOther()
			}
		})
	}
	all.Wait()
	if got := flag.Lookup("test.failfast").Value.String(); got != "true" {
		t.Errorf("test.failfast is %s; expected true", got)
	}
}
