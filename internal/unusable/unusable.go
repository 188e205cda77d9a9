// Package unusable has the mark of errors that say that something of this machine, such as a GPU, cannot be used, so
// that another may be taken. It lies below all that make and look for such errors.
package unusable

import "errors"

// Err matches errors of that kind by errors.Is.
var Err = errors.New("this device cannot be used here")
