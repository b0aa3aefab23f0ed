package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"warren/internal/listen"
)

// policy allows a page the files of the site and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request with a file of the site.
func (s Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" || strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	content, ok := s[name]
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "the documents can only be read", http.StatusMethodNotAllowed)
	case !ok:
		http.Error(w, "there is no such page; / is the index", http.StatusNotFound)
	default:
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	}
}

// Serve serves the site at an address until ctx is done. It calls ready with the URL.
func (s Site) Serve(ctx context.Context, address string, ready func(url string)) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serving the documents: %w; choose another address, such as --http 127.0.0.1:8091", err)
	}
	defer l.Close()
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	ready("http://" + listen.Host(l) + "/")
	if err := server.Serve(listen.Bounded(l, listen.Few(256))); ctx.Err() == nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
