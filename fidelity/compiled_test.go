//go:build !js

package fidelity

import "nacre/kernel"

func init() { engines = append(engines, testEngine{"go", kernel.Compiled("..", "")}) }
