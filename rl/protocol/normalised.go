package protocol

import (
	"fmt"
	"math"
)

// Normalised says where a return lies between a random policy (0) and a goal-knowing controller (1):
//
//	(adapted - random) / (knowing - random)
//
// It is an error if the controller is not better than the random policy, or if a return is not finite.
func Normalised(adapted, random, knowing float64) (float64, error) {
	f := (adapted - random) / (knowing - random)
	if !(knowing > random) || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("protocol: normalise %v between random %v and knowing %v: expected finite returns with "+
			"random below knowing",
			adapted, random, knowing)
	}
	return f, nil
}
