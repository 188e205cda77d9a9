package suite_test

import (
	"fmt"

	"nacre/rl/rl2"
	"nacre/rl/suite"
)

// An algorithm's preset is a benchmark with its own settings and protocol.
func Example() {
	c := suite.Point().For("rl2", "garage-ml1-onpolicy")
	own := rl2.Default()
	own.Hidden = 32
	rl2.Put(&c, own)
	fmt.Println(c.Algorithm, c.Family, c.TrainTasks, c.TestTasks, c.Evaluation.Protocol.Explore, rl2.Of(c).Hidden)
	// Output: rl2 point-goal 40 10 10 32
}
