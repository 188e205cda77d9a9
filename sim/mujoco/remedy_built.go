//go:build !(mujoco && cgo) && !js

package mujoco

const remedy = "this program was built without it; where its source and a C compiler are, run `make`"
