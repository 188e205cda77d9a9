package fatal_test

import (
	"errors"
	"fmt"
	"testing"

	"nacre/internal/fatal"
)

// told is a test that only prints why it ends.
type told struct{ testing.TB }

func (told) Helper()         {}
func (told) Fatal(xs ...any) { fmt.Println(xs...) }

func Example() {
	var t testing.TB = told{}
	fatal.On(t, nil)
	fatal.On(t, nil, errors.New("the file is not there"))
	// Output: the file is not there
}
