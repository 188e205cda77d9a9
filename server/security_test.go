package server

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"nacre/kernel/jupyter"
)

// concrete is a path that a pattern of the table matches.
func concrete(pattern, kernel string) (method, path string) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = "GET", pattern
	}
	return method, strings.NewReplacer("{path...}", "n.ipynb", "{id}", kernel, "{name}", "nacre", "{$}",
		"").Replace(path)
}

// Nothing but the login page and the front end's scripts answers without the token: a route that is forgotten is the
// commonest of notebook servers' holes (CVE-2026-39987, CVE-2024-28179).
func TestEveryRouteNeedsTheToken(t *testing.T) {
	r := newRig(t)
	kernel := r.kernel()
	for _, headers := range [][]string{
		nil, {"Authorization: token wrong-wrong-wrong-wrong"}, {"Authorization: Basic dXNlcjpwYXNz"},
		{"Cookie: " + cookieFor(r) + "=" + testToken},
		{"Authorization: token"}, {"Authorization: token "}, {"X-Forwarded-For: 127.0.0.1"},
	} {
		for _, route := range r.s.routes {
			method, path := concrete(route.pattern, kernel)
			a := r.call(method, path, "{}", headers...)
			switch {
			case strings.HasPrefix(path, "/login"), strings.HasPrefix(path, "/static/"):
			case method == "GET" && isPage(a.Request):
				if a.StatusCode != http.StatusFound || !strings.HasPrefix(a.Header.Get("Location"), "/login?") {
					t.Errorf("%s %s with %v: status %d to %s", method, path, headers, a.StatusCode,
						a.Header.Get("Location"))
				}
			case a.StatusCode != http.StatusForbidden:
				t.Errorf("%s %s with %v: status %d", method, path, headers, a.StatusCode)
			}
		}
		// The upgrade itself is refused, not only what is sent on it.
		for _, path := range []string{"/api/kernels/" + kernel + "/channels", "/api/events/subscribe"} {
			h := http.Header{}
			for _, header := range headers {
				name, value, _ := strings.Cut(header, ": ")
				h.Set(name, value)
			}
			ws, response, err := websocket.DefaultDialer.Dial("ws://"+r.host+path, h)
			if err == nil {
				ws.Close()
			}
			if err == nil || response == nil || response.StatusCode != http.StatusForbidden {
				t.Errorf("WebSocket %s with %v: %v", path, headers, err)
			}
		}
	}
	if r.api("GET", "/api/kernels/"+kernel, nil, 200)["id"] != kernel {
		t.Error("the kernel was touched")
	}
}

func cookieFor(r *rig) string { return "nacre-" + r.host[strings.LastIndex(r.host, ":")+1:] }

// proofs returns the texts that a login hands to the page in the fragment of an address.
func proofs(t *testing.T, location string) (proof, files string) {
	t.Helper()
	_, fragment, ok := strings.Cut(location, "#proof=")
	if !ok {
		t.Errorf("%q hands over no proof", location)
	}
	proof, files, _ = strings.Cut(fragment, ".")
	return proof, files
}

// login gets the cookie and the proof that goes with it.
func (r *rig) login() (cookie, proof string) {
	r.t.Helper()
	a := r.call("GET", "/tree?token="+testToken, "")
	c := a.Cookies()
	if len(c) != 1 || c[0].Name != cookieFor(r) || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode {
		r.t.Fatalf("the cookies are %v", c)
	}
	proof, _ = proofs(r.t, a.Header.Get("Location"))
	return "Cookie: " + c[0].Name + "=" + c[0].Value, proof
}

// With the cookie, requests must come from our own page; with the token they need not.
func TestOriginsAndCrossSiteRequests(t *testing.T) {
	r := newRig(t)
	cookies, proof := r.login()
	own, other := "Origin: "+r.base, "Origin: http://evil.example"
	header := "X-XSRFToken: " + proof
	body := `{"type":"notebook"}`
	for i, test := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "/api/kernels", []string{cookies, header}, 200},
		{"GET", "/api/kernels", []string{cookies, header, own}, 200},
		{"GET", "/api/kernels", []string{cookies, header, other}, 404},
		{"GET", "/api/kernels", []string{cookies, header, "Origin: null"}, 404},
		{"GET", "/api/kernels", []string{cookies, header, "Origin: http://127.0.0.1:1"}, 404},
		{"GET", "/api/kernels", []string{cookies, header, "Referer: http://evil.example/x"}, 404},
		{"GET", "/api/kernels", []string{cookies, header, "Referer: " + r.base + "/tree"}, 200},
		{"GET", "/api/kernels", []string{cookies, header, "Sec-Fetch-Site: cross-site"}, 404},
		{"GET", "/files/page.html", []string{cookies, header, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"},
			404},
		{"GET", "/files/page.html", []string{cookies, header, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
			"Sec-Fetch-Dest: document"}, 404},
		{"GET", "/tree", []string{cookies, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
			"Sec-Fetch-Dest: document"}, 200},
		{"GET", "/api/kernels", []string{cookies}, 403},
		{"GET", "/api/kernels", []string{cookies, own}, 403},
		{"GET", "/api/kernels?proof=" + proof, []string{cookies}, 403},
		{"GET", "/files/page.html", []string{cookies, own}, 403},
		{"HEAD", "/api/contents/n.ipynb", []string{cookies}, 403},
		{"POST", "/api/contents", []string{cookies}, 403},
		{"POST", "/api/contents", []string{cookies, own}, 403},
		{"POST", "/api/contents", []string{cookies, own, "X-XSRFToken: wrong"}, 403},
		{"POST", "/api/contents", []string{cookies, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate"}, 403},
		{"POST", "/api/contents", []string{cookies, other, header}, 404},
		{"POST", "/api/contents?proof=" + proof, []string{cookies, own}, 403},
		{"POST", "/api/contents", []string{cookies, own, header}, 201},
		{"DELETE", "/api/contents/Untitled.ipynb", []string{cookies, own}, 403},
		{"DELETE", "/api/contents/Untitled.ipynb", []string{cookies, header}, 204},
		{"PUT", "/api/contents/x", []string{cookies}, 403}, {"PATCH", "/api/contents/x", []string{cookies}, 403},
		{"POST", "/logout", []string{cookies}, 403},
		{"POST", "/api/contents", []string{authorized, other}, 201},
		{"GET", "/api/kernels?token=" + testToken, nil, 200},
		{"GET", "/api/kernels?token=wrong", []string{cookies}, 403},
		{"GET", "/api/kernels", []string{"Authorization: Bearer " + testToken}, 200},
	} {
		if a := r.call(test.method, test.path, body, test.headers...); a.StatusCode != test.want {
			t.Errorf("%d: %s %s with %v: status %d, want %d (%s)", i, test.method, test.path, test.headers,
				a.StatusCode, test.want, a.body)
		} else if a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%d: other origins may read the answer", i)
		}
	}
	kernel := r.kernel()
	for origin, want := range map[string]int{r.base: 101, "http://evil.example": 404, "null": 404,
		"http://127.0.0.1:1": 404} {
		_, value, _ := strings.Cut(cookies, ": ")
		ws, response, err := websocket.DefaultDialer.Dial("ws://"+r.host+"/api/kernels/"+kernel+"/channels?proof="+
			proof, http.Header{"Cookie": {value}, "Origin": {origin}})
		if err == nil {
			ws.Close()
		}
		if response == nil || response.StatusCode != want {
			t.Errorf("WebSocket from %s: %v, want %d", origin, response, want)
		}
	}
}

// A name that an attacker's DNS points here is refused, with the token too.
func TestRebindingHosts(t *testing.T) {
	r := newRig(t)
	port := r.host[strings.LastIndex(r.host, ":"):]
	for host, want := range map[string]int{
		"127.0.0.1" + port: 200, "localhost" + port: 200, "LOCALHOST" + port: 200, "[::1]" + port: 200,
		"127.0.0.2": 200, "localhost.": 200,
		"evil.example" + port: 403, "127.0.0.1.evil.example": 403, "localhost.evil.example" + port: 403,
		"10.0.0.1" + port: 403,
		"0.0.0.0":         403, "2130706433": 403, "127.1": 403, "[::ffff:10.0.0.1]": 403,
	} {
		if a := r.call("GET", "/api/kernels", "", authorized, "Host: "+host); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", host, a.StatusCode, want)
		}
		if a := r.call("GET", "/login", "", "Host: "+host); a.StatusCode != want {
			t.Errorf("login at %s: status %d, want %d", host, a.StatusCode, want)
		}
	}
}

// raw sends a request line as it stands: Go's client would tidy it.
func (r *rig) raw(path string, headers ...string) answer {
	r.t.Helper()
	request := &http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: r.host, Opaque: path},
		Header: http.Header{}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	b, _ := io.ReadAll(response.Body)
	return answer{response, string(b)}
}

func TestTraversal(t *testing.T) {
	r := newRig(t)
	outside := filepath.Join(filepath.Dir(r.s.config.Dir), "outside.txt")
	if err := os.WriteFile(outside, []byte("treasure"), 0o644); err != nil {
		t.Fatal(err)
	}
	sibling := r.s.config.Dir + "-sibling"
	if err := os.Mkdir(sibling, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sibling, "f.txt"), []byte("treasure"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"l": outside, "d": filepath.Dir(r.s.config.Dir), "up": ".."} {
		if err := os.Symlink(to, filepath.Join(r.s.config.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Base(r.s.config.Dir)
	for _, prefix := range []string{"/files/", "/api/contents/", "/static/", "/notebooks/"} {
		for _, p := range []string{
			"../outside.txt", "%2e%2e/outside.txt", "%2e%2e%2foutside.txt", "..%2foutside.txt", "..%5coutside.txt",
			"....//outside.txt", "./../outside.txt",
			"%252e%252e/outside.txt", "..;/outside.txt", "x/../../outside.txt", "x/%2e%2e/%2e%2e/outside.txt",
			"/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd",
			"../" + name + "-sibling/f.txt", "%2e%2e/" + name + "-sibling/f.txt", "l", "d/outside.txt",
			"up/outside.txt", "n.ipynb%00.txt", ".secret",
			"%2esecret", "./.secret", "..%c0%afoutside.txt", "\\..\\outside.txt", "d/" + name + "/.secret",
		} {
			a := r.raw(prefix+p, authorized)
			status, body := a.StatusCode, a.body
			if strings.Contains(body, "treasure") || strings.Contains(body, "root:") ||
				strings.Contains(body, "hidden") && !strings.Contains(body, "hidden ones") {
				t.Errorf("%s%s: status %d: %s", prefix, p, status, body)
			}
			if status == 200 && prefix != "/notebooks/" {
				t.Errorf("%s%s: %s", prefix, p, body)
			}
		}
	}
}

// A redirect after the login stays on this server (CVE-2020-26232).
func TestNoOpenRedirect(t *testing.T) {
	r := newRig(t)
	for _, next := range []string{
		"//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
		"///evil.example", "javascript:alert(1)",
		"http:evil.example", "/%0d%0aSet-Cookie:x=1", "//evil.example/%2e%2e", "/\n/evil.example", "evil.example",
		"@evil.example", "",
	} {
		a := r.call("GET", "/login?token="+testToken+"&next="+url.QueryEscape(next), "")
		to := a.Header.Get("Location")
		u, err := url.Parse(to)
		if a.StatusCode != http.StatusFound || err != nil || u.Host != "" || u.Scheme != "" ||
			!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
			strings.ContainsAny(to, "\\\r\n\t") {
			t.Errorf("%q leads to %q", next, to)
		}
	}
	for _, path := range []string{"//evil.example?token=", "///evil.example?token=", "/%2f/evil.example?token=",
		"/tree//evil.example?token="} {
		if to := r.raw(path + testToken).Header.Get("Location"); strings.HasPrefix(to, "//") ||
			strings.Contains(to, "://") {
			t.Errorf("%s leads to %q", path, to)
		}
	}
	if a := r.call("GET", "/tree?token="+testToken, ""); !strings.HasPrefix(a.Header.Get("Location"), "/tree#proof=") {
		t.Error(a.Header.Get("Location"))
	}
}

func TestPasswordForm(t *testing.T) {
	r := newRig(t)
	page := r.call("GET", "/login?next=/notebooks/n.ipynb", "")
	xsrf := ""
	for _, c := range page.Cookies() {
		if c.Name == xsrfCookie {
			xsrf = c.Value
		}
	}
	if xsrf == "" || !strings.Contains(page.body, xsrf) {
		t.Fatalf("%v %s", page.Cookies(), page.body)
	}
	post := func(password, field string, headers ...string) answer {
		form := url.Values{"password": {password}, "_xsrf": {field}}.Encode()
		return r.call("POST", "/login?next=/notebooks/n.ipynb", form,
			append(headers, "Content-Type: application/x-www-form-urlencoded")...)
	}
	cookie := "Cookie: _xsrf=" + xsrf
	if a := post(testToken, xsrf); a.StatusCode != 403 {
		t.Errorf("without the cookie: %d", a.StatusCode)
	}
	if a := post(testToken, "other", cookie); a.StatusCode != 403 {
		t.Errorf("with another value: %d", a.StatusCode)
	}
	if a := post(testToken, xsrf, cookie, "Origin: http://evil.example"); a.StatusCode != 403 {
		t.Errorf("from elsewhere: %d", a.StatusCode)
	}
	if a := post("guess", xsrf, cookie); a.StatusCode != 403 || len(a.Cookies()) > 0 {
		t.Errorf("with a wrong token: %d %v", a.StatusCode, a.Cookies())
	}
	a := post(testToken, xsrf, cookie)
	if a.StatusCode != 302 || !strings.HasPrefix(a.Header.Get("Location"), "/notebooks/n.ipynb#proof=") ||
		len(a.Cookies()) == 0 || a.Cookies()[0].Name != cookieFor(r) {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
}

// A login ends with the logout, and with the token: a new one makes old cookies worthless (CVE-2026-40934). A server at
// another port does not take them, though it has the same token.
func TestCookiesEnd(t *testing.T) {
	r := newRig(t)
	cookies, proof := r.login()
	header := "X-XSRFToken: " + proof
	if a := r.call("GET", "/api/kernels", "", cookies, header); a.StatusCode != 200 {
		t.Fatal(a.StatusCode)
	}
	if a := newRig(t).call("GET", "/api/kernels", "", strings.ReplaceAll(cookies, cookieFor(r), "nacre-0"),
		header); a.StatusCode != 403 {
		t.Error(a.StatusCode)
	}
	other := newRig(t)
	if a := other.call("GET", "/api/kernels", "", strings.ReplaceAll(cookies, cookieFor(r), cookieFor(other)),
		header); a.StatusCode != 403 {
		t.Errorf("another server takes the cookie: %d", a.StatusCode)
	}
	if a := r.call("POST", "/logout", "", cookies, header); a.StatusCode != 204 {
		t.Fatal(a.StatusCode)
	}
	if a := r.call("GET", "/api/kernels", "", cookies, header); a.StatusCode != 403 {
		t.Errorf("after the logout: %d", a.StatusCode)
	}
}

// What a page may do is said in headers: nothing foreign can frame it, files and frames are of an origin of their own
// (CVE-2026-44727).
func TestHeaders(t *testing.T) {
	r := newRig(t)
	cookies, proof := r.login()
	for path, want := range map[string]string{
		"/tree": "frame-ancestors 'self'", "/notebooks/n.ipynb": "frame-ancestors 'self'",
		"/static/frame.html": "sandbox allow-scripts; frame-ancestors 'self'",
		"/files/page.html": "sandbox allow-scripts; default-src data: blob: 'unsafe-inline'; connect-src 'none'; " +
			"form-action 'none'; frame-ancestors 'self'",
		"/api/kernels": "default-src 'none'; frame-ancestors 'none'",
	} {
		a := r.call("GET", path, "", cookies, "X-XSRFToken: "+proof)
		if a.StatusCode != 200 || a.Header.Get("Content-Security-Policy") != want ||
			a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, a.StatusCode, a.Header)
		}
		foreign := path == "/static/frame.html" || strings.HasPrefix(path, "/files/")
		if got := a.Header.Get("Connection-Allowlist"); foreign != (got == "()") {
			t.Errorf("%s: Connection-Allowlist is %q", path, got)
		}
	}
	// The t-SNE page is isolated, so that its workers may share memory; frames are of another origin and cannot be.
	for path, want := range map[string]string{"/tsne/": "require-corp", "/static/main.js": "require-corp",
		"/static/frame.html": "", "/tree": ""} {
		if got := r.call("GET", path, "", cookies).Header.Get("Cross-Origin-Embedder-Policy"); got != want {
			t.Errorf("%s: Cross-Origin-Embedder-Policy is %q, expected %q", path, got, want)
		}
	}
}

// The token is never logged (CVE-2022-24758), however it is sent and whatever fails.
func TestTokenIsNotLogged(t *testing.T) {
	r := newRig(t)
	kernel := r.kernel()
	cookies, proof := r.login()
	for _, path := range []string{
		"/?token=" + testToken, "/api/kernels?token=" + testToken, "/files/none?token=" + testToken,
		"/api/" + testToken, "/static/" + testToken,
		"/api/kernels/" + testToken, "/login?token=" + testToken + "&next=/" + testToken, "/files/n.ipynb?key=" + proof,
		"/api/events/subscribe?proof=" + proof,
	} {
		r.call("GET", path, "", cookies)
		r.call("GET", path, "", cookies, "X-XSRFToken: "+proof)
		r.call("GET", path, "", authorized)
		r.call("POST", path, "{", authorized)
	}
	x := r.socket(kernel, "token="+testToken, jupyter.SubprotocolV1)
	_ = x.ws.WriteMessage(websocket.BinaryMessage, []byte("nonsense "+testToken))
	x.run(t, "native "+testToken[:4])
	log := r.log.String()
	if strings.Contains(log, testToken) || !strings.Contains(log, "path=/api/kernels") ||
		!strings.Contains(log, "a message was not passed on") {
		t.Errorf("log:\n%s", log)
	}
	if strings.Contains(log, proof) {
		t.Error("a login's proof is in the log")
	}
	for _, c := range strings.Split(strings.TrimPrefix(cookies, "Cookie: "), "; ") {
		if _, value, _ := strings.Cut(c, "="); strings.Contains(log, value) {
			t.Errorf("a cookie's value is in the log")
		}
	}
}

func TestShortTokenIsRefused(t *testing.T) {
	if _, err := New(Config{Dir: t.TempDir(), Token: "secret"}); err == nil ||
		!strings.Contains(err.Error(), "at least 16") {
		t.Error(err)
	}
	a, err := New(Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := New(Config{Dir: t.TempDir()})
	if len(a.Token()) != 48 || a.Token() == b.Token() {
		t.Error(a.Token(), b.Token())
	}
}

func TestLimits(t *testing.T) {
	r := newRig(t)
	for path, body := range map[string]string{"/api/sessions": strings.Repeat(" ", maxRequest+1), "/api/kernels": "[",
		"/api/contents": `{"type":5}`} {
		if a := r.call("POST", path, body, authorized); a.StatusCode != 400 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	if a := r.call("GET", "/api/kernels/x/channels?after=-1", "", authorized); a.StatusCode != 404 {
		t.Error(a.StatusCode)
	}
	kernel := r.kernel()
	if a := r.call("GET", fmt.Sprintf("/api/kernels/%s/channels?after=-1", kernel), "",
		authorized); a.StatusCode != 400 {
		t.Error(a.StatusCode)
	}
}
