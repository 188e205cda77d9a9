package zmq_test

import (
	"context"
	"fmt"
	"log/slog"

	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmq"
	"nacre/kernel/kerneltest"
)

// A kernel listens on sockets and a client runs a cell in it.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c, err := zmq.NewConnection()
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error)
	go func() { ended <- zmq.Serve(ctx, c, &kerneltest.Session{}, slog.New(slog.DiscardHandler)) }()

	client, err := zmq.Dial(ctx, c)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	reply, err := client.Execute(ctx, jupyter.ExecuteRequest{Code: "print hello"}, func(m *jupyter.Message) {
		var stream struct{ Text string }
		if m.Type() == "stream" && m.Decode(&stream) == nil {
			fmt.Print(stream.Text)
		}
	})
	fmt.Println(reply.Status, err)

	_, err = client.Request(ctx, jupyter.Control, "shutdown_request", map[string]bool{"restart": false}, nil)
	fmt.Println(err, <-ended)
	// Output:
	// hello
	// ok <nil>
	// <nil> <nil>
}
