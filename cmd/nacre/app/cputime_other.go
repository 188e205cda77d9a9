//go:build !unix

package app

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
