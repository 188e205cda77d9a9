// Package servertest has what tests of a notebook server need that lies outside of it: a program that serves in a
// process of its own, a client of its kernels that comes back whenever its connection breaks off and counts what it
// gets, and a proxy that breaks connections off.
//
//	p, err := servertest.Start(exec.Command("nacre"), folder)
//	defer p.Stop()
//	cut, err := servertest.Cut(p.Host, func(string) int64 { return 2000 + rand.Int64N(8000) })
//	defer cut.Close()
//	c := &servertest.Client{Host: p.Host, Through: cut.Host(), Token: p.Token, Kernel: kernel,
//		Session: "tab", After: true}
//	cell, err := c.Run(ctx, `fmt.Println("all of it")`, "")
//
// It is not for anything but tests.
package servertest

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// swallow is how long the proxy goes on taking what the server sends after it has cut the client off: a server that
// counts what it has written as received loses that.
const swallow = 50 * time.Millisecond

// Cutter is a proxy for HTTP that breaks connections off, with a reset, after a number of bytes in one direction.
type Cutter struct {
	listener net.Listener
	server   string
	up, down func(request string) int64
	cuts     atomic.Int64
}

// Cut starts a proxy at a port of its own in front of a server, given as host:port. Bytes says after how many bytes in
// the direction of the client a connection is cut, given the line with which its first request begins, such as
// "GET /tree HTTP/1.1"; negative is never. It may be called by several goroutines.
func Cut(server string, bytes func(request string) int64) (*Cutter, error) {
	return cut(server, never, bytes)
}

// CutRequests is Cut in the direction of the server: what the client sends after that number of bytes is lost.
func CutRequests(server string, bytes func(request string) int64) (*Cutter, error) {
	return cut(server, bytes, never)
}

func never(string) int64 { return -1 }

func cut(server string, up, down func(request string) int64) (*Cutter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
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

// Host is where the proxy listens, as host:port.
func (c *Cutter) Host() string { return c.listener.Addr().String() }

// Cuts is how many connections were cut so far.
func (c *Cutter) Cuts() int { return int(c.cuts.Load()) }

// Close ends the proxy; connections that are open stay.
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
