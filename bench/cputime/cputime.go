// Package cputime returns the processor time of this process, natively and in Node. On a busy machine a repeated
// measurement of it gives nearly the same number; the time by the clock does not.
package cputime
