// Package cputime tells the processor time of this process, natively and in Node: on a busy machine it is what a
// measurement can be repeated by.
package cputime
