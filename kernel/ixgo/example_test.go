package ixgo_test

import (
	"context"
	"fmt"

	"nacre/kernel"
	"nacre/kernel/ixgo"
)

func Example() {
	s, err := kernel.New(kernel.Options{Engine: ixgo.Engine})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	// A recursive type without a struct in between, which yaegi refuses.
	s.Execute(context.Background(), kernel.Request{Code: "type tree []tree\nfunc (t tree) size() int { n := 1; for _, b := range t { n += b.size() }; return n }"}, nil)
	r := s.Execute(context.Background(), kernel.Request{Code: "tree{{}, {{}}}.size()"}, nil)
	fmt.Println(r.Value.MIME["text/plain"])
	// Output: 4
}
