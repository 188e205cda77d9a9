// Package loopback knows the address by which a machine reaches itself and nobody else reaches it: 127.0.0.1, or ::1 on
// a machine without IPv4.
//
//	l, err := loopback.Listen() // a free port
package loopback

import (
	"net"
	"sync"
)

// Host returns the address: "127.0.0.1", or "::1" where only that one can be listened on.
var Host = sync.OnceValue(func() string {
	for _, host := range []string{"127.0.0.1", "::1"} {
		if l, err := net.Listen("tcp", net.JoinHostPort(host, "0")); err == nil {
			l.Close()
			return host
		}
	}
	return "127.0.0.1"
})

// Any returns the address with the port 0, which stands for any free one: "127.0.0.1:0" or "[::1]:0".
func Any() string { return net.JoinHostPort(Host(), "0") }

// Listen opens a free TCP port of the address.
func Listen() (net.Listener, error) { return net.Listen("tcp", Any()) }
