// Package losses is the list of the auxiliary losses that are built in.
package losses

import (
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/classifier"
	"nacre/rl/auxiliary/focal"
	"nacre/rl/auxiliary/infonce"
	"nacre/rl/auxiliary/reconstruction"
	"nacre/rl/auxiliary/unicorn"
)

// All are the losses, one line each.
func All() []auxiliary.Loss {
	return []auxiliary.Loss{
		classifier.Loss(),
		focal.Loss(),
		infonce.Loss(),
		reconstruction.Loss(),
		unicorn.Loss(),
	}
}
