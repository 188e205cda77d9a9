package study

import (
	"errors"
	"fmt"
)

// WritePage is not supported in a tab: the code that turns Markdown into a page would add a megabyte to every
// notebook's kernel.
func WritePage(path, title, markdown string, picture func(name string) ([]byte, error)) error {
	return fmt.Errorf("%s: a page is made from Markdown by the native program only: %w", path, errors.ErrUnsupported)
}
