//go:build !unix

package main

import (
	"context"
	"errors"
)

func (q queue) run(context.Context) error {
	return errors.New("the queue runs on Linux and other Unix systems: elsewhere train its items with nacre sweep")
}
