package main

import (
	"nacre/internal/app"
	_ "nacre/sim/controls" // registers the MuJoCo families
	"nacre/sim/mujoco"
)

// wired are the actions of this program.
func wired() actions {
	return actions{
		Doctor: app.Providers{
			MuJoCo: func() (string, error) { return mujoco.Version(), mujoco.Check() },
		},
	}
}
