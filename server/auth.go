package server

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	minToken = 16
	// The login form repeats xsrfCookie; proofHeader carries the proof. The names are those of Jupyter's clients.
	xsrfCookie  = "_xsrf"
	proofHeader = "X-Xsrftoken"
	// loginDays is how long a login lasts, if the server does.
	loginDays = 30
	maxLogins = 10_000
)

// auth decides who is let in. A client shows the token, or what it got for showing the token once: a cookie and a
// proof.
//
// Browsers send the cookies of a host to all of its ports, so the cookie alone opens nothing: whoever listens at
// another port of this machine may have received it. The proof is handed over in the fragment of an address, which is
// sent to nobody; the page keeps it in its storage, which is that of its port alone, and repeats it with every request.
// Where no header can be sent, for an image or a download, the address has a second value that is good for files only.
//
// Cookie and proofs are made from a key that follows from the token. So a server that is started again with the same
// token knows the logins of the one before, and an open page goes on.
type auth struct {
	token [sha256.Size]byte
	key   func() []byte // of cookies and proofs
	hosts []string

	mu     sync.Mutex
	logins map[string]*login // by the cookie's value
	ended  map[string]bool   // cookies of logins that were ended before their time
	open   bool              // listens beyond the loopback interface
}

// login holds what showing the token has begun.
type login struct {
	ctx   context.Context // over when the login is: by a logout, or by its age
	end   context.CancelFunc
	proof string // value that a request repeats in a header, and a WebSocket in its address
	files string // value that the address of a file repeats
}

// guessRounds makes it slow to guess a token that a person has chosen from a cookie, which other ports may receive.
const guessRounds = 600_000

// newAuth makes the guard of a token; chosen says that a person has chosen it, so that it may be guessed.
func newAuth(token string, chosen bool, hosts []string) *auth {
	rounds := 1
	if chosen {
		rounds = guessRounds
	}
	return &auth{token: sha256.Sum256([]byte(token)), hosts: hosts, logins: map[string]*login{},
		ended: map[string]bool{},
		key: sync.OnceValue(func() []byte {
			key, err := pbkdf2.Key(sha256.New, token, []byte("nacre login"), rounds, sha256.Size)
			if err != nil {
				panic(err) // the sizes are right
			}
			return key
		})}
}

// mac is what only somebody with the token can make of a text.
func (a *auth) mac(text string) string {
	m := hmac.New(sha256.New, a.key())
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
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

// identify says who sends a request, and with which login. A request with a wrong token counts as nobody's, even if its
// cookie is good.
func (a *auth) identify(r *http.Request) (identity, *login) {
	if t := tokenOf(r); t != "" {
		if a.isToken(t) {
			return byToken, nil
		}
		return nobody, nil
	}
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return nobody, nil
	}
	if l := a.known(c); l != nil {
		return byCookie, l
	}
	return nobody, nil
}

// known is the login of a cookie, also of one that a server before this one, at the same port, has given; nil if there
// is none.
func (a *auth) known(c *http.Cookie) *login {
	cookie := c.Value
	a.mu.Lock()
	l, ended := a.logins[cookie], a.ended[cookie]
	a.mu.Unlock()
	if l != nil || ended {
		if l != nil && l.ctx.Err() != nil {
			return nil
		}
		return l
	}
	text, mac, _ := strings.Cut(cookie, ".")
	_, until, _ := strings.Cut(text, "-")
	seconds, err := strconv.ParseInt(until, 16, 64)
	if err != nil || !equal(mac, a.mac(c.Name+" "+text)) || time.Now().Unix() >= seconds {
		return nil
	}
	return a.begin(cookie, time.Unix(seconds, 0), a.mac("proof "+cookie))
}

// begin notes a login. If another request has noted it already, it returns that one.
func (a *auth) begin(cookie string, until time.Time, proof string) *login {
	l := &login{proof: proof, files: a.mac("files " + cookie)}
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := a.logins[cookie]; old != nil {
		return old
	}
	l.ctx, l.end = context.WithDeadline(context.Background(), until)
	for v, old := range a.logins {
		if old.ctx.Err() != nil || len(a.logins) >= maxLogins {
			a.over(v, old)
		}
	}
	a.logins[cookie] = l
	return l
}

// over ends a login and its connections. The lock is held.
func (a *auth) over(cookie string, l *login) {
	if l.ctx.Err() == nil {
		a.ended[cookie] = true
	}
	l.end()
	delete(a.logins, cookie)
}

// until returns a context that ends when the sender of a request is no longer let in. It may have ended already.
func (a *auth) until(r *http.Request) context.Context {
	switch who, l := a.identify(r); who {
	case byCookie:
		return l.ctx
	case byToken:
		return context.Background()
	}
	over, end := context.WithCancel(context.Background())
	end()
	return over
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

// login gives the client a cookie and returns its login with the given proof, or for "" with one of its own. The cookie
// has to be the first one set: VS Code takes that.
//
// A browser that is logged in already keeps its login for half of the login's time. With another cookie, requests of
// its open pages would be refused until the page that logs in has run and stored the new proof.
func (a *auth) login(w http.ResponseWriter, r *http.Request, proof string) *login {
	if c, err := r.Cookie(cookieName(r)); err == nil && proof == "" {
		if l := a.known(c); l != nil {
			if until, _ := l.ctx.Deadline(); time.Until(until) > loginDays*24*time.Hour/2 {
				setCookie(w, r, c.Value, until)
				return l
			}
		}
	}
	until := time.Now().AddDate(0, 0, loginDays)
	text := fmt.Sprintf("%s-%x", random(), until.Unix())
	value := text + "." + a.mac(cookieName(r)+" "+text)
	if proof == "" {
		proof = a.mac("proof " + value)
	}
	setCookie(w, r, value, until)
	return a.begin(value, until, proof)
}

func setCookie(w http.ResponseWriter, r *http.Request, value string, until time.Time) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		MaxAge: int(time.Until(until).Seconds()),
	})
}

// fragment returns the end of an address that gives a login's proof to the page. Browsers do not send it anywhere.
func (l *login) fragment() string { return "#proof=" + l.proof + "." + l.files }

// logout ends the login of a request, and with it its connections.
func (a *auth) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName(r)); err == nil {
		a.mu.Lock()
		if l := a.logins[c.Value]; l != nil {
			a.over(c.Value, l)
		}
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
	if host == "localhost" || slices.Contains(a.hosts, host) || slices.Contains(a.hosts, "*") {
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

// isPage reports whether a person opens the address, not a program.
func isPage(r *http.Request) bool {
	switch first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); first {
	case "", "login", "tree", "notebooks", "edit", "runs", "embeddings":
		return true
	}
	return r.URL.Path == "/tsne/" || r.URL.Path == "/rollout/"
}

// proven reports whether a request repeats the proof of its login. What has nothing secret needs none: pages, which are
// the same for everybody, and the programs that they run.
func proven(r *http.Request, l *login) bool {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if read && (isPage(r) || strings.HasPrefix(r.URL.Path, "/tsne/") || strings.HasPrefix(r.URL.Path, "/rollout/")) {
		return true
	}
	if equal(r.Header.Get(proofHeader), l.proof) {
		return true
	}
	q := r.URL.Query()
	switch {
	case !read:
		return false
	case strings.HasPrefix(r.URL.Path, "/files/"):
		return equal(q.Get("key"), l.files)
	case websocket.IsWebSocketUpgrade(r):
		return equal(q.Get("proof"), l.proof)
	}
	return false
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// formOK asks the login form to repeat the value of a cookie that came with the form.
func formOK(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	c, err := r.Cookie(xsrfCookie)
	return err == nil && c.Value != "" && equal(r.PostFormValue(xsrfCookie), c.Value)
}

// fromBrowser reports whether a browser's page has sent the request: a form's request says where it comes from.
func fromBrowser(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
}
