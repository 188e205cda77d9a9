//go:build !js

package mujoco

const remedy = "run `make`, which fetches it and builds with it"
