// Package zmq carries Jupyter's messages over ZeroMQ, as jupyter_client and everything built on it expects: connection
// files, signed messages, the five sockets of a kernel, and the kernelspec by which other programs find this kernel.
//
//	c, err := zmq.ReadConnection("/run/user/1000/jupyter/kernel-1.json")
//	err = zmq.Serve(ctx, c, session, slog.Default())
//
// Dial is the other side: a client of a running kernel.
package zmq

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"

	"nacre/internal/loopback"
	"nacre/kernel/jupyter"
)

// Connection is the content of a connection file.
type Connection struct {
	Transport  string `json:"transport"`
	IP         string `json:"ip"`
	Key        string `json:"key"`
	Scheme     string `json:"signature_scheme"`
	ShellPort  int    `json:"shell_port"`
	IOPubPort  int    `json:"iopub_port"`
	StdinPort  int    `json:"stdin_port"`
	Control    int    `json:"control_port"`
	Heartbeat  int    `json:"hb_port"`
	KernelName string `json:"kernel_name,omitempty"`
}

// ReadConnection reads a connection file.
func ReadConnection(file string) (Connection, error) {
	var c Connection
	b, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("connection file: %w", err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("connection file %s: %w", file, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("connection file %s: %w", file, err)
	}
	return c, nil
}

func (c Connection) check() error {
	if c.Transport != "tcp" {
		return fmt.Errorf("transport %.40q: expected tcp", c.Transport)
	}
	if c.Scheme != "hmac-sha256" && c.Key != "" {
		return fmt.Errorf("signature_scheme %.40q: expected hmac-sha256", c.Scheme)
	}
	for _, port := range []int{c.ShellPort, c.IOPubPort, c.StdinPort, c.Control, c.Heartbeat} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("port %d: expected 0 to 65535", port)
		}
	}
	return nil
}

// NewConnection is a connection on this machine with a new key and five free ports.
func NewConnection() (Connection, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return Connection{}, err
	}
	c := Connection{Transport: "tcp", IP: loopback.Host(), Key: hex.EncodeToString(key), Scheme: "hmac-sha256"}
	var taken []net.Listener
	defer func() {
		for _, l := range taken {
			l.Close()
		}
	}()
	for _, port := range []*int{&c.ShellPort, &c.IOPubPort, &c.StdinPort, &c.Control, &c.Heartbeat} {
		l, err := loopback.Listen()
		if err != nil {
			return Connection{}, err
		}
		taken = append(taken, l)
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// Write writes a connection file that only this user can read.
func (c Connection) Write(file string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o600)
}

func (c Connection) address(port int) string { return net.JoinHostPort(c.IP, strconv.Itoa(port)) }

const delimiter = "<IDS|MSG>"

var (
	errSignature = errors.New("a message with a wrong signature")
	errReplayed  = errors.New("a message that came before, with the same signature")
)

// remembered is the number of signatures that a kernel remembers, the same as Jupyter's.
const remembered = 1 << 16

// history refuses messages that came before: an attacker who can listen but not sign could send them once more. Its
// zero value is ready; it may be used from several goroutines.
type history struct {
	mu    sync.Mutex
	known map[string]bool
	order []string // a ring of the last ones
	next  int
}

// first reports whether a signature has not been seen, and remembers it. If there is no signature, it returns true.
func (h *history) first(signature []byte) bool {
	if len(signature) == 0 {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := string(signature)
	if h.known[s] {
		return false
	}
	if h.known == nil {
		h.known = map[string]bool{}
	}
	if len(h.order) < remembered {
		h.order = append(h.order, s)
	} else {
		delete(h.known, h.order[h.next])
		h.order[h.next] = s
		h.next = (h.next + 1) % remembered
	}
	h.known[s] = true
	return true
}

// warnings returns the dangers of a connection, a sentence each.
func (c Connection) warnings() []string {
	var list []string
	if c.Key == "" {
		list = append(list, "the connection has no key: every program that reaches the kernel's ports can run code "+
			"as you")
	}
	if ip := net.ParseIP(c.IP); c.IP != "localhost" && (ip == nil || !ip.IsLoopback()) {
		list = append(list, "the kernel listens at "+c.IP+
			", where other machines can reach it; what they send and read is signed, not encrypted")
	}
	return list
}

// sign is the signature of a message's four dictionaries; empty without a key.
func (c Connection) sign(parts ...[]byte) string {
	if c.Key == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(c.Key))
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// encode is a message's frames after its route.
func (c Connection) encode(m *jupyter.Message) [][]byte {
	signature := c.sign(m.Header, m.Parent, m.Metadata, m.Content)
	frames := [][]byte{[]byte(delimiter), []byte(signature), m.Header, m.Parent, m.Metadata, m.Content}
	return append(frames, m.Buffers...)
}

// decode reads frames, whose route ends at the delimiter, and checks the signature: that it is right and, unless seen
// is nil, that it is new.
func (c Connection) decode(channel string, frames [][]byte, seen *history) (*jupyter.Message, error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 || len(frames) < at+6 {
		return nil, fmt.Errorf("a message of %d frames: expected a route, %s and at least five more", len(frames),
			delimiter)
	}
	b := frames[at+1:]
	if !hmac.Equal(b[0], []byte(c.sign(b[1], b[2], b[3], b[4]))) {
		return nil, errSignature
	}
	if seen != nil && !seen.first(b[0]) {
		return nil, errReplayed
	}
	m := &jupyter.Message{
		Channel: channel, Header: b[1], Parent: b[2], Metadata: b[3], Content: b[4], Buffers: b[5:],
		Route: frames[:at:at],
	}
	return m, m.Check()
}
