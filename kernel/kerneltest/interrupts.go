package kerneltest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nacre/kernel"
)

// Interrupts are cells that do not end by themselves, one for each kind of waiting and computing: loops, recursion,
// channels, sleeping, locks, calls of native code, goroutines. They do not change the variable "state".
var Interrupts = []struct{ Kind, Code string }{
	{"empty loop", "for {}"},
	{"counting loop", "n := 0\nfor { n++ }"},
	{"nested loops", "for { for i := 0; i < 1000; i++ { for j := range 1000 { _ = i * j } } }"},
	{"loop of stores", "marks := make([]bool, 1<<20)\nfor { for j := 0; j < len(marks); j += 3 { marks[j] = " +
		"!marks[j] } }"},
	{"loop in a function", "func spin() { for { } }\nspin()"},
	{"loop in a method", "type spinner struct{ n int }\nfunc (s *spinner) run() { for { s.n++ } }\n(&spinner{}).run()"},
	{"loop in a closure", "f := func() { for { } }\nf()"},
	{"recursion", "func r(n int) int { if n == 0 { return 0 }; return r(n-1) + r(n-1) }\nr(60)"},
	{"recursion of two", "func even(n int) bool { if n == 0 { return true }; return odd(n-1) || odd(n-1) }\n" +
		"func odd(n int) bool { if n == 0 { return false }; return even(n-1) && even(n-1) && false }\neven(61)"},
	{"goto", "k := 0\nagain:\nk++\ngoto again"},
	{"continue with a label", "outer:\nfor { for { continue outer } }"},
	{"panics recovered", "for { func() { defer func() { recover() }(); panic(1) }() }"},
	{"deferred function", "done := false\nfunc() { defer func() { done = true }(); for {} }()"},
	{"iterator", "ones := func(yield func(int) bool) { for yield(1) { } }\nsum := 0\nfor x := range ones { sum += x }"},
	{"receiving", "c := make(chan int)\n<-c"},
	{"sending", "c := make(chan int)\nc <- 1"},
	{"range over a channel", "c := make(chan int)\nfor range c { }"},
	{"nil channel", "var c chan int\n<-c"},
	{"select without cases", "select {}"},
	{"select with a timer", "import \"time\"\nc := make(chan int)\nselect { case <-c: case <-time.After(time.Hour): }"},
	{"select in a loop", "c := make(chan int)\nfor { select { case <-c: default: } }"},
	{"ticks", "import \"time\"\nfor range time.Tick(time.Millisecond) { }"},
	{"sleep", "import \"time\"\ntime.Sleep(time.Hour)"},
	{"mutex", "import \"sync\"\nvar mu sync.Mutex\nmu.Lock()\nmu.Lock()"},
	{"condition", "import \"sync\"\nvar lock sync.Mutex\ncond := sync.NewCond(&lock)\nlock.Lock()\ncond.Wait()"},
	{"goroutine", "import \"sync\"\nvar wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); for {} }()\n" +
		"wg.Wait()"},
	{"many goroutines", "for range 50 { go func() { for { } }() }\nselect {}"},
	{"native sort", "import \"sort\"\nxs := make([]int, 1000000)\nfor { sort.Slice(xs, func(i, j int) bool { return " +
		"xs[i] < xs[j] }) }"},
	{"native call of a loop", "import \"strings\"\nstrings.Map(func(r rune) rune { for { } }, \"a\")"},
}

// LibraryInterrupts are cells like those of Interrupts, for a session with all that notebooks may import.
var LibraryInterrupts = []struct{ Kind, Code string }{
	{"native call that waits", "import \"net\"\nl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")\n" +
		"if err != nil { l, err = net.Listen(\"tcp\", \"[::1]:0\") }\nif err != nil { panic(err) }\nl.Accept()"},
	{"rollouts", `import ("nacre/library/cell"; "nacre/sim")
family, err := sim.Lookup("point-goal")
if err != nil { panic(err) }
_, tasks, err := family.Tasks(1, 4, 4)
if err != nil { panic(err) }
episodes := []sim.Episode{{Task: tasks[0]}, {Task: tasks[1]}}
pool, err := sim.NewPool(family, 1, 16)
if err != nil { panic(err) }
for { pool.Rollout(cell.Context(), episodes, sim.UniformPolicy(episodes, 2), 0) }`},
}

// Interrupt runs a cell that does not end, interrupts it while it runs, and returns how long the cell then continued.
func Interrupt(s kernel.Session, code string) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out := &Output{}
	at := make(chan time.Time, 1)
	go func() {
		for !strings.Contains(out.Stdout(), "runs") && ctx.Err() == nil { // until it is compiled
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		at <- time.Now()
		s.Interrupt()
	}()
	r := s.Execute(ctx, kernel.Request{Code: "import \"fmt\"\nfmt.Println(\"runs\")\n" + code}, out)
	end := time.Now()
	if r.Error == nil || r.Error.Name != "Interrupted" {
		return 0, fmt.Errorf("%s: expected an interrupt, got %s", code, Value(r))
	}
	return end.Sub(<-at), nil
}
