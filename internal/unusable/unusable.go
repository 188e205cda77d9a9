// Package unusable marks errors that say that a part of this machine, such as a GPU, cannot be used, so that the
// program may use another part. Packages that make such errors and packages that check for them all import it.
package unusable

import "errors"

// Err matches errors of this kind with errors.Is.
var Err = errors.New("this device cannot be used here")
