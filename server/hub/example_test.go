package hub_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"nacre/kernel/jupyter"
	"nacre/server/contents"
	"nacre/server/hub"
)

// A notebook's kernel runs a cell for a client, which hears what comes of it.
func Example() {
	folder, err := os.MkdirTemp("", "hub")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "n.ipynb"), []byte(file), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	store, err := contents.Open(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	h := hub.New(hub.Config{
		Argv: []string{os.Args[0]}, Env: []string{"HUB_TEST_KERNEL=1"}, // this program, as TestMain has it
		Store: store, Log: slog.New(slog.DiscardHandler),
	})
	defer h.Close()
	session, err := h.OpenSession("n.ipynb", "n", "notebook", "", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	client := session.Kernel.Connect("tab-1", hub.Fresh, nil)
	request := jupyter.NewMessage(jupyter.Shell, "execute_request", "browser", nil,
		jupyter.ExecuteRequest{Code: "print hello"})
	if err := session.Kernel.Send(client, request); err != nil {
		fmt.Println(err)
		return
	}
	for m := client.Next(nil); m != nil; m = client.Next(nil) {
		client.Sent(m)
		var stream struct{ Text string }
		if m.Type() == "stream" && json.Unmarshal(m.Content, &stream) == nil {
			fmt.Print(stream.Text)
		}
		if m.Type() == "execute_reply" {
			break
		}
	}
	// Output: hello
}
