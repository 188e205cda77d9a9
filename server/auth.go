package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	minToken = 16
	// xsrfCookie and xsrfHeader are the names that Jupyter's clients use.
	xsrfCookie = "_xsrf"
	xsrfHeader = "X-Xsrftoken"
	// loginDays is how long a login lasts, if the server does.
	loginDays = 30
	maxLogins = 10_000
)

// auth decides who is let in. A client shows the token, or the cookie that it got for showing the token once.
type auth struct {
	token [sha256.Size]byte
	hosts []string

	mu     sync.Mutex
	logins map[string]time.Time // cookie value → end
	open   bool                 // listens beyond the loopback interface
}

func newAuth(token string, hosts []string) *auth {
	return &auth{token: sha256.Sum256([]byte(token)), hosts: hosts, logins: map[string]time.Time{}}
}

// listening notes the address, which decides what names the server may be called by.
func (a *auth) listening(addr net.Addr) {
	tcp, ok := addr.(*net.TCPAddr)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = ok && !tcp.IP.IsLoopback()
}

// how a request has identified itself.
type identity int

const (
	nobody identity = iota
	byCookie
	byToken
)

// isToken compares in constant time.
func (a *auth) isToken(s string) bool {
	sum := sha256.Sum256([]byte(s))
	return s != "" && subtle.ConstantTimeCompare(sum[:], a.token[:]) == 1
}

// identify says who sends a request. A wrong token is nobody, even with a good cookie.
func (a *auth) identify(r *http.Request) identity {
	if t := tokenOf(r); t != "" {
		if a.isToken(t) {
			return byToken
		}
		return nobody
	}
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return nobody
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if end, ok := a.logins[c.Value]; ok && time.Now().Before(end) {
		return byCookie
	}
	return nobody
}

func tokenOf(r *http.Request) string {
	if scheme, t, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok &&
		(strings.EqualFold(scheme, "token") || strings.EqualFold(scheme, "bearer")) {
		return strings.TrimSpace(t)
	}
	return r.URL.Query().Get("token")
}

// cookieName has the port in it: browsers send the cookies of one host to all of its ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "nacre-" + port
}

// login gives the client a cookie. It has to be the first one set: VS Code takes that.
func (a *auth) login(w http.ResponseWriter, r *http.Request) {
	value := random()
	now := time.Now()
	a.mu.Lock()
	for v, end := range a.logins {
		if now.After(end) || len(a.logins) >= maxLogins {
			delete(a.logins, v)
		}
	}
	a.logins[value] = now.AddDate(0, 0, loginDays)
	a.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: loginDays * 86400,
	})
}

func (a *auth) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName(r)); err == nil {
		a.mu.Lock()
		delete(a.logins, c.Value)
		a.mu.Unlock()
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1})
}

func random() string {
	b := make([]byte, 24)
	if _, err := rand.Read(b); err != nil {
		panic(err) // crypto/rand does not fail
	}
	return hex.EncodeToString(b)
}

// hostOK refuses names that somebody else's DNS may have made to point here. Numeric addresses cannot be.
func (a *auth) hostOK(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" || slices.Contains(a.hosts, host) {
		return true
	}
	ip := net.ParseIP(host)
	a.mu.Lock()
	defer a.mu.Unlock()
	return ip != nil && (ip.IsLoopback() || a.open)
}

// sameOrigin refuses requests that a page of another origin has sent with this origin's cookies. A link on another page
// may lead to a page of ours, but to nothing else.
func sameOrigin(r *http.Request) bool {
	if r.Method == http.MethodGet && isPage(r) {
		return true
	}
	for _, header := range []string{"Origin", "Referer"} {
		v := r.Header.Get(header)
		if v == "" {
			continue
		}
		u, err := url.Parse(v)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "cross-site" && site != "same-site"
}

// isPage is true of what a person opens, as opposed to what programs ask for.
func isPage(r *http.Request) bool {
	switch first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); first {
	case "", "login", "tree", "notebooks", "edit":
		return true
	}
	return r.URL.Path == "/tsne/"
}

// xsrfOK asks a request that changes something to repeat the value of a cookie, which other origins cannot read.
func xsrfOK(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	}
	c, err := r.Cookie(xsrfCookie)
	if err != nil || c.Value == "" {
		return false
	}
	sent := r.Header.Get(xsrfHeader)
	if sent == "" && r.URL.Path == "/login" {
		sent = r.PostFormValue(xsrfCookie)
	}
	return subtle.ConstantTimeCompare([]byte(sent), []byte(c.Value)) == 1
}

// setXSRF gives the client the value it has to repeat.
func setXSRF(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(xsrfCookie); err == nil && c.Value != "" {
		return
	}
	http.SetCookie(w, &http.Cookie{Name: xsrfCookie, Value: random(), Path: "/", SameSite: http.SameSiteLaxMode})
}
