package experiment

import (
	"fmt"

	"nacre/rl"
)

// fits returns an error if the run would store more data than room, in bytes. Parameters and an update's buffers are
// allocated before this check.
func (a *Agent) fits(room int64) error {
	k, ok := a.Learner.(rl.Keeper)
	if !ok {
		return nil
	}
	iterations, _ := a.algorithm.Schedule(a.Config)
	need := k.Keeps(iterations, a.Config.EnvSteps)
	if need <= room {
		return nil
	}
	return fmt.Errorf("the run would come to keep %.1f GB of transitions and there is room for %.1f GB: give it "+
		"fewer iterations or env_steps, a smaller %s.buffer_capacity, or train it with nacre on a machine",
		float64(need)/1e9, float64(room)/1e9, a.algorithm.Tables[0].Name)
}
