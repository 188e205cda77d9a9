package core_test

import (
	"testing"

	"nacre/core/coretest"
	"nacre/core/ref"
)

func TestYardstick(t *testing.T) { coretest.JudgeYardstick(t, ref.Device, 1e-9) }
