package jupyter_test

import (
	"context"
	"fmt"

	"nacre/kernel/jupyter"
	"nacre/kernel/kerneltest"
)

func Example() {
	var c *jupyter.Client
	k := jupyter.NewKernel(&kerneltest.Session{}, func(m *jupyter.Message) { c.Deliver(m) })
	defer k.Close()
	c = jupyter.NewClient(func(m *jupyter.Message) error { k.Handle(m); return nil })
	reply, err := c.Execute(context.Background(), jupyter.ExecuteRequest{Code: "print hello"},
		func(m *jupyter.Message) {
			fmt.Println(m.Type(), string(m.Content))
		})
	fmt.Println(reply.Status, err)
	// Output:
	// status {"execution_state":"busy"}
	// execute_input {"code":"print hello","execution_count":1}
	// stream {"name":"stdout","text":"hello\n"}
	// status {"execution_state":"idle"}
	// ok <nil>
}
