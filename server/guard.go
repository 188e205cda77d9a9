package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"nacre/server/contents"
)

// guard stands before every route: names, identity, origin, cross-site requests, headers, log.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w := &recorder{ResponseWriter: rw, status: http.StatusOK, base: s.config.Base}
		r = s.within(r)
		began := time.Now()
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(p), "stack",
					string(debug.Stack()))
				sendError(w, &contents.Error{Status: http.StatusInternalServerError,
					Message: "the server failed; its log says why"})
			}
			// Neither the query nor headers: the token may be in them.
			s.log.Debug("request", "method", r.Method, "path", s.withoutToken(r.URL.Path), "status", w.status, "took",
				time.Since(began))
		}()
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if s.admit(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// admit checks a request and answers it itself if it does not pass.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	if !s.auth.hostOK(r) {
		refuse(w, http.StatusForbidden, "this server is not called "+strings.ToValidUTF8(r.Host, "?")+
			"; start it with --allow-host to let it be")
		return false
	}
	isAPI := strings.HasPrefix(r.URL.Path, "/api")
	if r.URL.Path == "/login" {
		if !sameOrigin(r) || !formOK(r) {
			refuse(w, http.StatusForbidden, "this request comes from another page; reload the page and try again")
			return false
		}
		return true
	}
	if strings.HasPrefix(r.URL.Path, "/static/") && r.Method == http.MethodGet {
		return true
	}
	who, login := s.auth.identify(r)
	switch {
	case who == nobody && isPage(r) && r.Method == http.MethodGet:
		http.Redirect(w, r, "/login?"+url.Values{"next": {r.URL.Path}}.Encode(), http.StatusFound)
		return false
	case who == nobody:
		refuseLogin(w, "the token is missing or wrong")
		return false
	case who == byToken:
		if isAPI || !isPage(r) {
			return true
		}
		// The address with the token in it must not stay in the browser's history.
		login = s.auth.login(w, r, "")
		to := localPath(r.URL.Path)
		if query := r.URL.Query(); len(query) > 1 {
			query.Del("token")
			to += "?" + query.Encode()
		}
		http.Redirect(w, r, to+login.fragment(), http.StatusFound)
		return false
	case !sameOrigin(r):
		refuse(w, http.StatusNotFound, "this request comes from another page")
		return false
	case !proven(r, login):
		refuseLogin(w, "the request does not repeat the login's proof; open the page again with the address that "+
			"nacre notebook has printed")
		return false
	}
	return true
}

func (s *Server) withoutToken(text string) string {
	return strings.ReplaceAll(text, s.config.Token, "TOKEN")
}

// localPath keeps a redirect on this server: one slash, no host, no control characters.
func localPath(p string) string {
	u, err := url.Parse(p)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") ||
		strings.ContainsAny(p, "\\\r\n\t") {
		return "/"
	}
	return (&url.URL{Path: u.Path}).EscapedPath()
}

func refuse(w http.ResponseWriter, status int, message string) {
	sendError(w, &contents.Error{Status: status, Message: message})
}

// refuseLogin refuses a request that a login would let in. The reason tells the page that from a file that may not be
// read, which has the same status.
func refuseLogin(w http.ResponseWriter, message string) {
	sendError(w, &contents.Error{Status: http.StatusForbidden, Reason: "login", Message: message})
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // what fails here is the connection
}

// sendError answers with an error in Jupyter's form.
func sendError(w http.ResponseWriter, err error) {
	var e *contents.Error
	if !errors.As(err, &e) {
		e = &contents.Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	body := map[string]any{"message": e.Message, "reason": nil}
	if e.Reason != "" {
		body["reason"] = e.Reason
	}
	if e.Model != nil {
		body["model"] = e.Model
	}
	sendJSON(w, e.Status, body)
}

// recorder notes the status for the log, and puts the base path into headers before they are sent.
type recorder struct {
	http.ResponseWriter
	status int
	base   string
	sent   bool
}

func (w *recorder) WriteHeader(status int) {
	if !w.sent {
		outward(w.Header(), w.base)
	}
	w.status, w.sent = status, true
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if !w.sent {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker for WebSockets.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.status = http.StatusSwitchingProtocols
	return http.NewResponseController(w.ResponseWriter).Hijack()
}
