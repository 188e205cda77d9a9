package core_test

import (
	"testing"

	"nacre/core/coretest"
	"nacre/core/ref"
)

func TestBenchmark(t *testing.T) { coretest.JudgeBenchmark(t, ref.Device, 1e-9) }
