// Package servertest has helpers for tests of a notebook server. There is a program that serves in its own process.
// There is a client of its kernels that reconnects whenever its connection breaks, and counts its messages. And there
// is a proxy that breaks connections.
//
//	p, err := servertest.Start(exec.Command("nacre"), folder)
//	defer p.Stop()
//	cut, err := servertest.Cut(p.Host, func(string) int64 { return 2000 + rand.Int64N(8000) })
//	defer cut.Close()
//	c := &servertest.Client{Host: p.Host, Through: cut.Host(), Token: p.Token, Kernel: kernel,
//		Session: "tab", After: true}
//	cell, err := c.Run(ctx, `fmt.Println("all of it")`, "")
//
// It is for tests only.
package servertest

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"nacre/internal/loopback"
)

// swallow is how long the proxy still reads from the server after it has cut the client off. A server that counts
// written bytes as received loses these bytes.
const swallow = 50 * time.Millisecond

// Cutter is a proxy for HTTP that breaks connections, with a reset, after a number of bytes in one direction.
type Cutter struct {
	listener net.Listener
	server   string
	up, down func(request string) int64
	cuts     atomic.Int64
}

// Cut starts a proxy at a port of its own in front of a server, given as host:port. The function bytes returns the
// number of bytes to the client after which a connection is cut; a negative number is never. It gets the first line of
// the connection's first request, such as "GET /tree HTTP/1.1". Several goroutines may call it.
func Cut(server string, bytes func(request string) int64) (*Cutter, error) {
	return cut(server, never, bytes)
}

// CutRequests is Cut in the direction of the server: bytes that the client sends after that number are lost.
func CutRequests(server string, bytes func(request string) int64) (*Cutter, error) {
	return cut(server, bytes, never)
}

func never(string) int64 { return -1 }

func cut(server string, up, down func(request string) int64) (*Cutter, error) {
	l, err := loopback.Listen()
	if err != nil {
		return nil, err
	}
	c := &Cutter{listener: l, server: server, up: up, down: down}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.relay(client.(*net.TCPConn))
		}
	}()
	return c, nil
}

// Host is the address of the proxy, as host:port.
func (c *Cutter) Host() string { return c.listener.Addr().String() }

// Cuts is the number of connections that were cut so far.
func (c *Cutter) Cuts() int { return int(c.cuts.Load()) }

// Close ends the proxy. Open connections stay.
func (c *Cutter) Close() error { return c.listener.Close() }

func (c *Cutter) relay(client *net.TCPConn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	request := bufio.NewReader(client)
	line, err := request.ReadString('\n')
	if err != nil {
		return
	}
	line = strings.TrimSpace(line)
	sent := io.MultiReader(strings.NewReader(line+"\r\n"), request)
	go func() {
		if bytes := c.up(line); bytes >= 0 {
			if _, err := io.CopyN(server, sent, bytes); err == nil {
				c.reset(client)
			}
		} else {
			_, _ = io.Copy(server, sent)
		}
		_ = server.(*net.TCPConn).CloseWrite()
	}()
	if bytes := c.down(line); bytes < 0 {
		_, _ = io.Copy(client, server)
	} else if _, err := io.CopyN(client, server, bytes); err == nil {
		c.reset(client)
		_ = server.SetReadDeadline(time.Now().Add(swallow))
		_, _ = io.Copy(io.Discard, server)
	}
}

func (c *Cutter) reset(client *net.TCPConn) {
	c.cuts.Add(1)
	_ = client.SetLinger(0)
	client.Close()
}
