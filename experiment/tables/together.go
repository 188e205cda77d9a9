package tables

import (
	"fmt"

	"nacre/rl/config"
)

// Together says of runs that stand behind one mean in what they differ beside their seeds, in a sentence that is empty where
// they do not. Two that are one run are an error: the same system, family and seed, or logs of other programs with the same
// bytes.
func Together(runs []Run) (said string, err error) {
	type identity struct {
		system, family string
		seed           uint64
	}
	bySeed, byCurve := map[identity]string{}, map[string]string{}
	hashes := map[string]bool{}
	for _, r := range runs {
		id := identity{r.System, r.Config.Family, r.Config.Seed}
		if before, ok := bySeed[id]; ok && r.history == "" {
			return "", fmt.Errorf("%s and %s are the same system, family and seed: give one of them", before, r.Dir)
		}
		bySeed[id] = r.Dir
		if r.history != "" {
			if before, ok := byCurve[r.history]; ok {
				return "", fmt.Errorf("%s and %s are the same log, byte for byte: give one of them", before, r.Dir)
			}
			byCurve[r.history] = r.Dir
		}
		h, err := config.Hash(r.Config, "seed", "checkpoint_every")
		if err != nil {
			return "", err
		}
		hashes[h] = true
	}
	if len(hashes) > 1 {
		return fmt.Sprintf("the seeds have %d different configurations", len(hashes)), nil
	}
	return "", nil
}
