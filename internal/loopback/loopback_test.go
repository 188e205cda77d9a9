package loopback

import (
	"net"
	"testing"
)

func TestListen(t *testing.T) {
	l, err := Listen()
	if err != nil {
		t.Skip("this machine has neither 127.0.0.1 nor ::1: bring the network's loopback up (ip link set lo up)")
	}
	defer l.Close()
	at := l.Addr().(*net.TCPAddr)
	if !at.IP.IsLoopback() || at.Port == 0 || at.IP.String() != Host() {
		t.Errorf("got %v, expected a port of %s", at, Host())
	}
}
