package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"nacre/internal/loopback"
	"nacre/kernel/jupyter/zmtp"
	"nacre/server/servertest"
)

func attackToken(t *testing.T) {
	folder := t.TempDir()
	writeNotebook(t, filepath.Join(folder, "n.ipynb"))
	cmd := program()
	cmd.Env = append(cmd.Environ(), "NACRE_TOKEN=0123456789abcdef-secret")
	p, err := servertest.Start(cmd, folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if cell := cellOf(t, client(t, p), "import (\"fmt\"; \"os\")\nfmt.Println(os.Environ())"); strings.Contains(
		cell.Text, "0123456789abcdef-secret") || cell.Text == "" {
		t.Errorf("a cell sees the token among %d bytes of its environment", len(cell.Text))
	}
}

// jupyterKernel starts a kernel as Jupyter does and returns the port of its shell and where it writes what it says.
func jupyterKernel(t *testing.T, ip, key string) (shell int, said string) {
	t.Helper()
	dir := t.TempDir()
	var free []net.Listener
	connection := map[string]any{"transport": "tcp", "ip": ip, "key": key, "signature_scheme": "hmac-sha256",
		"kernel_name": "nacre"}
	for _, channel := range []string{"shell", "iopub", "stdin", "control", "hb"} {
		l, err := loopback.Listen()
		if err != nil {
			t.Fatal(err)
		}
		free = append(free, l)
		connection[channel+"_port"] = l.Addr().(*net.TCPAddr).Port
	}
	for _, l := range free {
		l.Close()
	}
	text, _ := json.Marshal(connection)
	file, log := filepath.Join(dir, "connection.json"), filepath.Join(dir, "said")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := program("kernel", "--connection-file", file)
	cmd.Stderr = out
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return connection["shell_port"].(int), log
}

// A kernel for Jupyter that anybody can use says so.
func attackOpenKernel(t *testing.T) {
	_, said := jupyterKernel(t, "0.0.0.0", "")
	var heard []byte
	for range 12_000 {
		if heard, _ = os.ReadFile(said); bytes.Contains(heard, []byte("no key")) &&
			bytes.Contains(heard, []byte("other machines")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the kernel warns neither of the missing key nor of the open address, it says %q", heard)
}

// A signed request runs once, however often it is sent.
func attackReplay(t *testing.T) {
	port, _ := jupyterKernel(t, loopback.Host(), "secret")
	answers := make(chan [][]byte, 100)
	address := net.JoinHostPort(loopback.Host(), strconv.Itoa(port))
	var shell *zmtp.Socket
	for range 12_000 {
		var err error
		if shell, err = zmtp.Dial(zmtp.Dealer, address, []byte("attacker"), func(m [][]byte) {
			answers <- m
		}); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if shell == nil {
		t.Fatal("the kernel does not listen")
	}
	defer shell.Close()
	execute := func(id string) [][]byte {
		parts := [][]byte{
			fmt.Appendf(nil, `{"msg_id":%q,"session":"s","username":"u","date":"2026-11-22T00:00:00Z","msg_type":"execute_request","version":"5.4"}`, id),
			[]byte("{}"), []byte("{}"),
			[]byte(`{"code":"1","silent":false,"store_history":true,"allow_stdin":false,"stop_on_error":true}`),
		}
		mac := hmac.New(sha256.New, []byte("secret"))
		for _, p := range parts {
			mac.Write(p)
		}
		return append([][]byte{[]byte("<IDS|MSG>"), fmt.Appendf(nil, "%x", mac.Sum(nil))}, parts...)
	}
	recorded := execute("a")
	for _, m := range [][][]byte{recorded, recorded, execute("b")} {
		if err := shell.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	runs := 0
	for {
		select {
		case m := <-answers:
			if !bytes.Contains(bytes.Join(m, nil), []byte("execute_reply")) {
				continue
			}
			runs++
			if bytes.Contains(bytes.Join(m, nil), []byte(`"msg_id":"b"`)) {
				if runs != 2 {
					t.Errorf("a recorded request is executed again: %d executions of 2 requests", runs)
				}
				return
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d answers", runs)
		}
	}
}

// A cell that writes to the descriptors at which the kernel got its channel, or wherever a pipe is, leaves a kernel
// that answers, itself or its successor.
func attackChannel(t *testing.T) {
	p, _ := served(t)
	c := client(t, p)
	for _, code := range []string{
		"import \"syscall\"\nfor _, fd := range []int{3, 4} { syscall.Write(fd, []byte(\"garbage\\n\")) }",
		"import \"os\"\nfor fd := uintptr(3); fd < 20; fd++ { os.NewFile(fd, \"x\").Write([]byte(\"garbage\\n\")) }",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		_, err := c.Run(ctx, code, "")
		cancel()
		if err != nil {
			t.Fatalf("the kernel is busy for good: %v", err)
		}
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cell, err := c.Run(ctx, `println("alive")`, "")
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(cell.Text, "alive") {
			return
		}
	}
	t.Error("the kernel does not answer")
}
