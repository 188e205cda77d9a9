package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"nacre/server/contents"
	"nacre/server/hub"
	"nacre/server/nbformat"
)

// splitCheckpoint takes "/checkpoints" and "/checkpoints/ID" off a path.
func splitCheckpoint(p string) (file, id string, isCheckpoint bool) {
	p = strings.Trim(p, "/")
	if file, ok := strings.CutSuffix(p, "/checkpoints"); ok {
		return file, "", true
	}
	if i := strings.LastIndex(p, "/checkpoints/"); i >= 0 && !strings.Contains(p[i+len("/checkpoints/"):], "/") {
		return p[:i], p[i+len("/checkpoints/"):], true
	}
	return p, "", false
}

// location is where a REST client finds a file.
func location(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "/api/contents/" + strings.Join(parts, "/")
}

func (s *Server) getContents(w http.ResponseWriter, r *http.Request) {
	file, id, isCheckpoint := splitCheckpoint(r.PathValue("path"))
	if isCheckpoint && id == "" {
		list, err := s.store.Checkpoints(file)
		if err != nil {
			sendError(w, err)
			return
		}
		sendJSON(w, http.StatusOK, list)
		return
	}
	q := r.URL.Query()
	m, err := s.store.Get(r.PathValue("path"), contents.GetOptions{
		Content: q.Get("content") != "0", Hash: q.Get("hash") == "1" || q.Get("content") != "0", Type: q.Get("type"),
		Format: q.Get("format"),
	})
	if err != nil {
		sendError(w, err)
		return
	}
	sendJSON(w, http.StatusOK, s.withLive(m))
}

// cards answers with what a start page shows of the notebooks in a folder.
func (s *Server) cards(w http.ResponseWriter, r *http.Request) {
	list, err := s.store.Cards(r.PathValue("path"))
	if err != nil {
		sendError(w, err)
		return
	}
	sendJSON(w, http.StatusOK, list)
}

// picture answers with the picture of a notebook's card.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	b, err := s.store.Picture(r.PathValue("path"))
	if err != nil {
		sendError(w, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(b)
}

// withLive adds to a notebook what its kernel has shown since the file was written.
func (s *Server) withLive(m *contents.Model) any {
	nb, ok := m.Content.(*nbformat.Notebook)
	if !ok {
		return m
	}
	session := s.hub.SessionAt(m.Path)
	if session == nil {
		return m
	}
	return struct {
		*contents.Model
		Live hub.Live `json:"live"`
	}{m, session.Kernel.Show(nb)}
}

// saveRequest is the body of a PUT. Hash, or else LastModified, of the version that was edited lets the server notice
// somebody else's changes; Seq is the number of the last kernel message whose output the content has; Repair is that
// the user agrees to a file that follows its format.
type saveRequest struct {
	Type         string          `json:"type"`
	Format       string          `json:"format"`
	Content      json.RawMessage `json:"content"`
	Hash         string          `json:"hash"`
	LastModified *time.Time      `json:"last_modified"`
	Seq          *uint64         `json:"seq"`
	Repair       bool            `json:"repair"`
}

func (s *Server) putContents(w http.ResponseWriter, r *http.Request) {
	file, id, isCheckpoint := splitCheckpoint(r.PathValue("path"))
	if isCheckpoint && id != "" {
		refuse(w, http.StatusMethodNotAllowed, "checkpoints of "+file+" are made with POST")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, contents.MaxFile))
	if err != nil {
		sendError(w, tooLarge(err))
		return
	}
	var save saveRequest
	if err := json.Unmarshal(body, &save); err != nil {
		refuse(w, http.StatusBadRequest, "the request's body: "+err.Error())
		return
	}
	p := strings.Trim(r.PathValue("path"), "/")
	if save.Type == "" {
		save.Type = "file"
		if strings.HasSuffix(p, ".ipynb") {
			save.Type = "notebook"
		}
	}
	request := contents.Save{Type: save.Type, Format: save.Format, Content: save.Content, Hash: save.Hash,
		Repair: save.Repair}
	if save.LastModified != nil {
		request.LastModified = *save.LastModified
	}
	written := func() {}
	if session := s.hub.SessionAt(p); session != nil {
		request.Merge = func(nb *nbformat.Notebook) { written = session.Kernel.Saved(nb, save.Seq) }
	}
	m, created, err := s.store.Save(p, request)
	if err != nil {
		sendError(w, err)
		return
	}
	written()
	status := http.StatusOK
	if created {
		status = http.StatusCreated
		w.Header().Set("Location", location(m.Path))
	}
	sendJSON(w, status, m)
}

func tooLarge(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &contents.Error{Status: http.StatusRequestEntityTooLarge,
			Message: "not saved: the file is larger than 256 MiB"}
	}
	return &contents.Error{Status: http.StatusBadRequest, Message: "not saved: the request broke off: " + err.Error()}
}

func (s *Server) postContents(w http.ResponseWriter, r *http.Request) {
	file, id, isCheckpoint := splitCheckpoint(r.PathValue("path"))
	if isCheckpoint {
		s.postCheckpoint(w, file, id)
		return
	}
	var body struct {
		Type string `json:"type"`
		Ext  string `json:"ext"`
		From string `json:"copy_from"`
	}
	if !readJSON(w, r, &body) {
		return
	}
	var m *contents.Model
	var err error
	if body.From != "" {
		m, err = s.store.Copy(body.From, r.PathValue("path"))
	} else {
		m, err = s.store.Create(r.PathValue("path"), body.Type, body.Ext, nbformat.New(SpecName, DisplayName, "go"))
	}
	if err != nil {
		sendError(w, err)
		return
	}
	w.Header().Set("Location", location(m.Path))
	sendJSON(w, http.StatusCreated, m)
}

func (s *Server) postCheckpoint(w http.ResponseWriter, file, id string) {
	if id != "" {
		if err := s.store.Restore(file, id); err != nil {
			sendError(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	c, err := s.store.MakeCheckpoint(file)
	if err != nil {
		sendError(w, err)
		return
	}
	w.Header().Set("Location", location(file)+"/checkpoints/"+c.ID)
	sendJSON(w, http.StatusCreated, c)
}

// patchContents renames.
func (s *Server) patchContents(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Path string `json:"path"`
	}
	if !readJSON(w, r, &body) {
		return
	}
	if body.Path == "" {
		refuse(w, http.StatusBadRequest, "the new path is missing")
		return
	}
	m, err := s.store.Rename(r.PathValue("path"), body.Path)
	if err != nil {
		sendError(w, err)
		return
	}
	s.hub.Moved(strings.Trim(r.PathValue("path"), "/"), m.Path)
	w.Header().Set("Location", location(m.Path))
	sendJSON(w, http.StatusOK, m)
}

func (s *Server) deleteContents(w http.ResponseWriter, r *http.Request) {
	var err error
	if file, id, isCheckpoint := splitCheckpoint(r.PathValue("path")); isCheckpoint && id != "" {
		err = s.store.DeleteCheckpoint(file, id)
	} else {
		err = s.store.Delete(r.PathValue("path"))
	}
	if err != nil {
		sendError(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
