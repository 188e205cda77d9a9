package servertest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"nacre/server/servertest"
)

func ExampleCut() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("mother-of-pearl ", 10_000))
	}))
	defer server.Close()
	cut, err := servertest.Cut(strings.TrimPrefix(server.URL, "http://"), func(request string) int64 {
		if strings.Contains(request, "/whole") {
			return -1
		}
		return 50_000
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cut.Close()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a connection for each request
	for _, path := range []string{"/whole", "/part"} {
		answer, err := client.Get("http://" + cut.Host() + path)
		if err != nil {
			fmt.Println(err)
			continue
		}
		b, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		fmt.Println(path, len(b) == 160_000, err == nil)
	}
	fmt.Println("cuts:", cut.Cuts())
	// Output:
	// /whole true true
	// /part false false
	// cuts: 1
}
