//go:build !amd64

package lanes

func native() []*Set { return nil }
