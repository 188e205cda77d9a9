//go:build mujoco && cgo

package mujoco

const remedy = "run `nacre setup`, which fetches it"
