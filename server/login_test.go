package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// A browser sends the cookies of 127.0.0.1 to every port of it. What another program at another port gets that way
// opens nothing here, and there is nothing that a script of its pages could read.
func TestCookiesThatAnotherPortGets(t *testing.T) {
	r := newRig(t)
	var got []*http.Cookie
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Cookies()...)
	}))
	defer other.Close()
	jar, _ := cookiejar.New(nil)
	location := ""
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		location = r.URL.String()
		return http.ErrUseLastResponse
	}}
	open := func(address string) *http.Response {
		a, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		for _, c := range a.Cookies() {
			if !c.HttpOnly {
				t.Errorf("%s: scripts can read the cookie %s", address, c.Name)
			}
		}
		return a
	}
	open(r.base + "/login")
	open(r.base + "/tree?token=" + testToken)
	proof, files := proofs(t, location)
	for _, path := range []string{"/", "/login", "/api/kernels", "/files/n.ipynb"} {
		open(other.URL + path)
	}
	if len(got) == 0 {
		t.Fatal("the jar keeps ports apart, which browsers do not")
	}
	var values []string
	header := ""
	for _, c := range got {
		values = append(values, c.Name+"="+c.Value)
		header = c.Value
		if strings.Contains(c.Value, proof) || strings.Contains(c.Value, files) {
			t.Errorf("the cookie %s has the proof", c.Name)
		}
	}
	cookies := "Cookie: " + strings.Join(values, "; ")
	kernel := r.kernel()
	for _, route := range r.s.routes {
		method, path := concrete(route.pattern, kernel)
		if strings.HasPrefix(path, "/login") || strings.HasPrefix(path, "/static/") ||
			strings.HasPrefix(path, "/tsne/") || strings.HasPrefix(path, "/rollout/") {
			continue // the same for everybody
		}
		for _, extra := range []string{"X-XSRFToken: " + header, "Origin: " + r.base, "Sec-Fetch-Site: same-origin"} {
			a := r.call(method, path, "{}", cookies, extra)
			if page := method == "GET" && isPage(a.Request); a.StatusCode != http.StatusForbidden && !page {
				t.Errorf("%s %s with %s: status %d: %.60s", method, path, extra, a.StatusCode, a.body)
			}
		}
	}
	for _, path := range []string{"/api/kernels/" + kernel + "/channels", "/api/events/subscribe"} {
		ws, response, err := websocket.DefaultDialer.Dial("ws://"+r.host+path,
			http.Header{"Cookie": {strings.Join(values, "; ")}, "Origin": {r.base}})
		if err == nil {
			ws.Close()
		}
		if response == nil || response.StatusCode != http.StatusForbidden {
			t.Errorf("WebSocket %s: %v", path, err)
		}
	}
	// With the proof, which the page keeps for its own port, all of it works.
	for path, want := range map[string]int{"/files/n.ipynb?key=" + files: 200, "/files/n.ipynb?key=" + proof: 403,
		"/api/contents/n.ipynb?key=" + files: 403} {
		if a := r.call("GET", path, "", cookies); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
	if a := r.call("GET", "/api/contents/n.ipynb", "", cookies, "X-XSRFToken: "+files); a.StatusCode != 403 {
		t.Errorf("what is good for files opens the rest: %d", a.StatusCode)
	}
	if a := r.call("GET", "/api/contents/n.ipynb", "", cookies, "X-XSRFToken: "+proof); a.StatusCode != 200 {
		t.Errorf("the page itself: %d %s", a.StatusCode, a.body)
	}
}

// A login by the form: a browser's page gets the proof in the fragment only; VS Code, which is no browser, repeats the
// value of the form.
func TestProofOfTheForm(t *testing.T) {
	r := newRig(t)
	xsrf := r.call("GET", "/login", "").Cookies()[0]
	form := url.Values{"password": {testToken}, "_xsrf": {xsrf.Value}}.Encode()
	login := func(headers ...string) (cookie, proof string) {
		a := r.call("POST", "/login", form, append(headers, "Content-Type: application/x-www-form-urlencoded",
			"Cookie: _xsrf="+xsrf.Value)...)
		if a.StatusCode != http.StatusFound {
			t.Fatal(a.StatusCode, a.body)
		}
		proof, _ = proofs(t, a.Header.Get("Location"))
		return "Cookie: " + a.Cookies()[0].Name + "=" + a.Cookies()[0].Value, proof
	}
	with := func(cookie, proof string) int {
		return r.call("GET", "/api/kernels", "", cookie, "X-XSRFToken: "+proof).StatusCode
	}
	cookie, proof := login("Origin: " + r.base)
	if with(cookie, proof) != 200 || with(cookie, xsrf.Value) != 403 {
		t.Error("a browser's proof is the one in the fragment")
	}
	cookie, _ = login()
	if with(cookie, xsrf.Value) != 200 {
		t.Error("the form's value is not taken")
	}
}

// A logout ends the connections of its login at once, and no other's.
func TestLogoutClosesSockets(t *testing.T) {
	r := newRig(t)
	kernel := r.kernel()
	dial := func(cookie, proof, path string) *websocket.Conn {
		_, value, _ := strings.Cut(cookie, ": ")
		ws, _, err := websocket.DefaultDialer.Dial("ws://"+r.host+path+"?proof="+proof,
			http.Header{"Cookie": {value}, "Origin": {r.base}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		return ws
	}
	mine, proof := r.login()
	other, othersProof := r.login()
	channels := "/api/kernels/" + kernel + "/channels"
	sockets := []*websocket.Conn{dial(mine, proof, channels), dial(mine, proof, "/api/events/subscribe")}
	stays := dial(other, othersProof, channels)
	if a := r.call("POST", "/logout", "", mine, "X-XSRFToken: "+proof); a.StatusCode != 204 {
		t.Fatal(a.StatusCode)
	}
	for i, ws := range sockets {
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				if strings.Contains(err.Error(), "timeout") {
					t.Errorf("socket %d is open after the logout", i)
				}
				break
			}
		}
	}
	if err := stays.WriteMessage(websocket.TextMessage,
		[]byte(`{"channel":"shell","header":{"msg_id":"a","msg_type":"kernel_info_request"}}`)); err != nil {
		t.Fatal(err)
	}
	_ = stays.SetReadDeadline(time.Now().Add(patience))
	for {
		_, b, err := stays.ReadMessage()
		if err != nil {
			t.Fatalf("another login's socket: %v", err)
		}
		if strings.Contains(string(b), "kernel_info_reply") {
			return
		}
	}
}

// A login that ends while a socket of it is being opened leaves none behind: whoever asks until when it may stay is
// told that it is over.
func TestUntilAfterTheLogout(t *testing.T) {
	a := newAuth("a-token-for-tests-only", false, nil)
	r := httptest.NewRequest("GET", "http://127.0.0.1:8888/api", nil)
	w := httptest.NewRecorder()
	a.login(w, r, "proof")
	for _, c := range w.Result().Cookies() {
		r.AddCookie(c)
	}
	if a.until(r).Err() != nil {
		t.Error("the login is over before the logout")
	}
	a.logout(httptest.NewRecorder(), r)
	if a.until(r).Err() == nil {
		t.Error("after the logout the login goes on")
	}
	r.Header.Set("Authorization", "token a-token-for-tests-only")
	if a.until(r).Err() != nil {
		t.Error("who has the token may stay")
	}
}

// A server that is started again with the same token lets in who was logged in, with the same proofs; one with another
// token does not, and neither does the same one after the logout or when the login's time is over.
func TestLoginOutlivesTheServer(t *testing.T) {
	for _, chosen := range []bool{false, true} {
		a := newAuth(testToken, chosen, nil)
		r := httptest.NewRequest("GET", "http://127.0.0.1:8888/api", nil)
		w := httptest.NewRecorder()
		l := a.login(w, r, "")
		cookie := w.Result().Cookies()[0]
		r.AddCookie(cookie)
		after := newAuth(testToken, chosen, nil)
		who, known := after.identify(r)
		if who != byCookie || known.proof != l.proof || known.files != l.files || l.proof == l.files {
			t.Errorf("after a restart: %v %+v, before %+v", who, known, l)
		}
		if _, again := after.identify(r); again != known {
			t.Error("the login is another one at the second request")
		}
		if who, _ := newAuth(testToken+"!", chosen, nil).identify(r); who != nobody {
			t.Error("a server with another token lets the login in")
		}
		after.logout(httptest.NewRecorder(), r)
		if who, _ := after.identify(r); who != nobody || known.ctx.Err() == nil {
			t.Error("the login goes on after its logout")
		}
		text, mac, _ := strings.Cut(cookie.Value, ".")
		id, until, _ := strings.Cut(text, "-")
		past := id + "-1"
		for _, forged := range []string{"", ".", text, text + ".", text + "." + mac[1:], "x" + cookie.Value,
			id + "-f" + until + "." + mac, past + "." + newAuth(testToken, chosen, nil).mac(cookie.Name+" "+past),
			cookie.Value + "." + mac} {
			q := httptest.NewRequest("GET", "http://127.0.0.1:8888/api", nil)
			q.AddCookie(&http.Cookie{Name: cookie.Name, Value: forged})
			if who, _ := newAuth(testToken, chosen, nil).identify(q); who != nobody {
				t.Errorf("the cookie %q opens the server", forged)
			}
		}
	}
}

// An open page logs in again with the token in a header, and gets what the address with the token gives.
func TestLoginFromAnOpenPage(t *testing.T) {
	r := newRig(t)
	if a := r.call("POST", "/api/login", "", "Authorization: token wrong", "Origin: "+r.base); a.StatusCode != 403 ||
		!strings.Contains(a.body, `"reason":"login"`) {
		t.Errorf("with a wrong token: status %d, %s", a.StatusCode, a.body)
	}
	a := r.call("POST", "/api/login", "", "Authorization: token "+testToken, "Origin: "+r.base)
	var l struct{ Proof, Files string }
	if err := json.Unmarshal([]byte(a.body), &l); err != nil || a.StatusCode != 200 || len(a.Cookies()) != 1 {
		t.Fatalf("status %d, %q, %v", a.StatusCode, a.body, err)
	}
	cookie := "Cookie: " + a.Cookies()[0].Name + "=" + a.Cookies()[0].Value
	for headers, want := range map[string]int{"X-XSRFToken: " + l.Proof: 200, "X-XSRFToken: " + l.Files: 403} {
		if b := r.call("GET", "/api/kernels", "", cookie, headers); b.StatusCode != want {
			t.Errorf("with %s: status %d, want %d", headers, b.StatusCode, want)
		}
	}
}

// A browser that is logged in and shows the token again keeps cookie and proofs, so that its open pages go on. A login
// that was ended, that is forged, or of which less than half its time is left is followed by a new one.
func TestLoginTwiceInABrowser(t *testing.T) {
	a := newAuth(testToken, false, nil)
	login := func(cookie string) (*login, *http.Cookie) {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8888/tree?token="+testToken, nil)
		if cookie != "" {
			r.AddCookie(&http.Cookie{Name: cookieName(r), Value: cookie})
		}
		w := httptest.NewRecorder()
		l := a.login(w, r, "")
		return l, w.Result().Cookies()[0]
	}
	first, cookie := login("")
	again, kept := login(cookie.Value)
	if again != first || kept.Value != cookie.Value || kept.MaxAge > cookie.MaxAge || kept.MaxAge < cookie.MaxAge-600 {
		t.Errorf("the second login is %+v with the cookie %v, the first %+v with %v", again, kept, first, cookie)
	}
	for days, keeps := range map[int]bool{16: true, 14: false} {
		text := fmt.Sprintf("%s-%x", random(), time.Now().AddDate(0, 0, days).Unix())
		value := text + "." + a.mac(cookie.Name+" "+text)
		if _, c := login(value); (c.Value == value) != keeps {
			t.Errorf("a login with %d days left is kept: %v", days, !keeps)
		}
	}
	if _, c := login(cookie.Value + "0"); strings.HasPrefix(c.Value, cookie.Value) {
		t.Error("a forged cookie is kept")
	}
	r := httptest.NewRequest("POST", "http://127.0.0.1:8888/logout", nil)
	r.AddCookie(cookie)
	a.logout(httptest.NewRecorder(), r)
	if l, c := login(cookie.Value); c.Value == cookie.Value || l.proof == first.proof {
		t.Error("a login that was ended goes on")
	}
}
