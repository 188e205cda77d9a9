//go:build !race

package kernel_test

import (
	"context"
	"fmt"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/kernel/standard/common"
)

func Example() {
	s, err := kernel.New(kernel.Options{Library: common.Library()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	reply := s.Execute(context.Background(), kernel.Request{Code: "1 + 2"}, &kerneltest.Output{})
	fmt.Println(reply.Value.MIME["text/plain"])
	// Output: 3
}
