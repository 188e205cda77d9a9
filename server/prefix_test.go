package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gorilla/websocket"

	"nacre/internal/fatal"
)

// What security tests find without a prefix they find behind one.
func TestBehindAPrefix(t *testing.T) {
	behind = "/user/me/nacre/"
	defer func() { behind = "" }()
	for name, test := range map[string]func(*testing.T){
		"every route needs the token": TestEveryRouteNeedsTheToken, "origins": TestOriginsAndCrossSiteRequests,
		"traversal": TestTraversal, "redirects": TestNoOpenRedirect, "form": TestPasswordForm,
		"cookies": TestCookiesEnd,
		"headers": TestHeaders, "log": TestTokenIsNotLogged, "contents": TestContentsInterface,
	} {
		t.Run(name, test)
	}
}

// proxied is a reverse proxy that shows a server under a path, which it passes on or takes off.
func proxied(t *testing.T, r *rig, base string, off bool) *httptest.Server {
	t.Helper()
	to, err := url.Parse(r.base)
	fatal.On(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host
		if off {
			p.Out.URL.Path = "/" + strings.TrimPrefix(p.In.URL.Path, base)
		}
	}}
	mux := http.NewServeMux()
	mux.Handle(base, proxy)
	outer := httptest.NewServer(mux)
	t.Cleanup(outer.Close)
	return outer
}

// A browser behind a proxy opens pages, scripts, files and sockets under the proxy's path alone.
func TestProxies(t *testing.T) {
	const base = "/hub/nacre/"
	for name, off := range map[string]bool{"passed on": false, "taken off": true} {
		t.Run(name, func(t *testing.T) {
			r := newRigAt(t, base)
			r.s.config.Static = fstest.MapFS{
				"index.html":      {Data: []byte(`<meta name="referrer"><script src="/static/nacre.js"></script>`)},
				"static/nacre.js": {Data: []byte("script")}}
			outer := proxied(t, r, base, off)
			jar, _ := cookiejar.New(nil)
			fragment := ""
			browser := &http.Client{Jar: jar, CheckRedirect: func(to *http.Request, _ []*http.Request) error {
				if f := to.URL.Fragment; f != "" {
					fragment = f
				}
				return nil
			}}
			get := func(path string, headers ...string) (int, string, string) {
				request, err := http.NewRequest("GET", outer.URL+path, nil)
				fatal.On(t, err)
				for _, h := range headers {
					name, value, _ := strings.Cut(h, ": ")
					request.Header.Set(name, value)
				}
				response, err := browser.Do(request)
				fatal.On(t, err)
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				fatal.On(t, err)
				return response.StatusCode, response.Request.URL.Path, string(text)
			}
			if status, at, _ := get(base + "notebooks/n.ipynb"); status != 200 || at != base+"login" {
				t.Errorf("without the token: %d at %s", status, at)
			}
			status, at, page := get(base + "?token=" + testToken)
			if status != 200 || at != base+"tree" || !strings.Contains(page, `src="`+base+`static/nacre.js"`) ||
				!strings.Contains(page, `<meta name="nacre-base" content="`+base+`">`) {
				t.Errorf("%d at %s: %s", status, at, page)
			}
			if status, _, script := get(base + "static/nacre.js"); status != 200 || script != "script" {
				t.Errorf("a script: %d %s", status, script)
			}
			proof, files, _ := strings.Cut(strings.TrimPrefix(fragment, "proof="), ".")
			if status, _, text := get(base+"api/contents/n.ipynb", "X-XSRFToken: "+proof); status != 200 {
				t.Errorf("a notebook: %d %s", status, text)
			}
			if status, _, text := get(base + "files/page.html?key=" + files); status != 200 ||
				!strings.Contains(text, "alert") {
				t.Errorf("a file: %d %s", status, text)
			}
			u, err := url.Parse(outer.URL + base)
			fatal.On(t, err)
			root, err := url.Parse(outer.URL + "/other/")
			fatal.On(t, err)
			if len(jar.Cookies(root)) != 0 || len(jar.Cookies(u)) != 1 {
				t.Errorf("cookies of other paths %v; of the server's %v", jar.Cookies(root), jar.Cookies(u))
			}
			opened(t, u, jar, "api/events/subscribe?proof="+proof)
		})
	}
}

// opened opens a WebSocket with the cookies of a browser.
func opened(t *testing.T, u *url.URL, jar http.CookieJar, path string) {
	t.Helper()
	dialer := websocket.Dialer{Jar: jar, NetDialContext: (&net.Dialer{}).DialContext}
	ws, _, err := dialer.DialContext(context.Background(), "ws"+strings.TrimPrefix(u.String(), "http")+path, nil)
	if err != nil {
		t.Errorf("WebSocket: %v", err)
		return
	}
	ws.Close()
}

// Base paths that cannot work are refused, and slashes do not matter.
func TestBasePath(t *testing.T) {
	s := newRigAt(t, "").s
	for given, want := range map[string]string{"": "/", "/": "/", "nacre": "/nacre/", "/a/b": "/a/b/",
		"/a-b_c.d/": "/a-b_c.d/", "~me": "/~me/", "user/a@b": "/user/a@b/"} {
		if got, err := s.cleanBase(given); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", given, got, err, want)
		}
	}
	for _, bad := range []string{"/a/../b", "/a//b", "a?b", "a#b", `a"b`, "a b", "/api", "/tree/x/", "/static",
		"/login", "a%2fb", "a\nb", "http://x/"} {
		if got, err := s.cleanBase(bad); err == nil || !strings.Contains(err.Error(), "base path ") {
			t.Errorf("%q is %q, %v; want an error", bad, got, err)
		}
	}
	if !newAuth(testToken, false, []string{"*"}).hostOK(&http.Request{Host: "hub.example"}) ||
		newAuth(testToken, false, nil).hostOK(&http.Request{Host: "hub.example"}) {
		t.Error("a name of a proxy is let in by * only")
	}
}
