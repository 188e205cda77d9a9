package webgpu

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed prelude.wgsl
var preludeText string

//go:embed gemm.wgsl
var gemmText string

//go:embed optimiser.wgsl
var optimiserText string

//go:embed feed.wgsl
var feedText string

// comment matches a comment that takes a line or the end of a line. Comments are removed because browsers check every
// byte of a text that they compile.
var comment = regexp.MustCompile(`(?m)[ \t]*//.*\n`)

// source is the whole text of a kernel.
func source(body string) string {
	return strings.TrimSpace(comment.ReplaceAllString(preludeText+body, "\n")) + "\n"
}
