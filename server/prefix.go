package server

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// cleanBase is a path under which a server answers, with slashes at both ends; "/" for none.
func (s *Server) cleanBase(base string) (string, error) {
	clean := "/" + strings.Trim(base, "/") + "/"
	if clean == "//" {
		return "/", nil
	}
	u, err := url.Parse(clean)
	if err != nil || u.EscapedPath() != clean || u.Path != clean || strings.Contains(clean, "//") ||
		strings.ContainsAny(clean, "?#;\"'<>&\\") || slices.Contains(strings.Split(clean, "/"), "..") {
		return "", fmt.Errorf("base path %q: expected a path of plain names such as /nacre/", base)
	}
	first, _, _ := strings.Cut(clean[1:], "/")
	for _, r := range s.table() {
		_, path, _ := strings.Cut(r.pattern, "/")
		if own, _, _ := strings.Cut(path, "/"); own == first {
			return "", fmt.Errorf("base path %q: the server has pages of its own at /%s: choose another first name",
				base, first)
		}
	}
	return clean, nil
}

// within takes the base path off a request. A proxy may have done so before.
func (s *Server) within(r *http.Request) *http.Request {
	base := s.config.Base
	if base == "/" || !strings.HasPrefix(r.URL.Path+"/", base) {
		return r
	}
	cut := func(path string) string {
		return "/" + strings.TrimPrefix(strings.TrimPrefix(path, strings.TrimSuffix(base, "/")), "/")
	}
	inner := new(http.Request)
	*inner = *r
	inner.URL = new(url.URL)
	*inner.URL = *r.URL
	inner.URL.Path = cut(r.URL.Path)
	if r.URL.RawPath != "" {
		inner.URL.RawPath = cut(r.URL.RawPath)
	}
	return inner
}

// outward puts the base path into what an answer's headers say of this server's addresses.
func outward(h http.Header, base string) {
	if base == "/" {
		return
	}
	if to := h.Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		h.Set("Location", base+to[1:])
	}
	for i, cookie := range h["Set-Cookie"] {
		h["Set-Cookie"][i] = strings.Replace(cookie, "; Path=/", "; Path="+base, 1)
	}
}

// html serves a page of the front end, whose addresses begin with the base path.
func (s *Server) html(w http.ResponseWriter, r *http.Request, name string) {
	if s.config.Base == "/" || s.config.Static == nil {
		s.asset(w, r, name, pagePolicy)
		return
	}
	page, err := fs.ReadFile(s.config.Static, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	page = bytes.ReplaceAll(page, []byte(`"/static/`), []byte(`"`+s.config.Base+`static/`))
	const before = `<meta name="referrer"`
	told := `<meta name="nacre-base" content="` + s.config.Base + "\">\n" + before
	page = bytes.Replace(page, []byte(before), []byte(told), 1)
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, s.started, bytes.NewReader(page))
}
